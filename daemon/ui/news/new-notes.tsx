import { systemClock } from '@svc/shared/kit/clock.ts'
import { useState } from 'react'
import { asRefusal } from '../api/refusal.ts'
import { failureText } from '../app/failure-text.ts'
import { useServices } from '../app/services.ts'
import { ago } from '../app/when.ts'
import { withoutExtension } from '../links/link-index.ts'
import { FileLink } from '../links/file-link.tsx'
import { folderOf } from '../links/resolve-link.ts'
import { useVault } from '../vaults/vault-context.ts'
import { useNews } from './news-context.ts'
import { authorsInWords } from './news-marks.ts'

const SHOWN = 8

/** The notes that changed since the person last read them, newest first, with who changed them. */
export function NewNotes() {
  const { client } = useServices()
  const { vault, here, announce } = useVault()
  const { loaded, marks, reload } = useNews()
  const [wanted, setWanted] = useState(SHOWN)

  if (loaded.state === 'loading') return null
  if (loaded.state === 'refused')
    return <p className="quiet">What is new could not be read. {failureText(loaded.refusal).title}</p>
  const { notes, changed } = loaded.value
  if (notes === 0) return <p className="quiet">Nothing new since you last looked</p>

  const readAll = async () => {
    try {
      await client.markAllRead(vault.id)
      reload()
      announce('Everything is marked as read')
    } catch (thrown) {
      announce(`Nothing was marked as read. ${failureText(asRefusal(thrown)).title}`)
    }
  }

  const shown = changed.slice(0, wanted)
  return (
    <section className="home-news" aria-labelledby="home-news">
      <h2 id="home-news">New since you last looked</h2>
      <ul className="plain-list">
        {shown.map(({ path, at, authors }) => (
          <li key={path}>
            <FileLink to={path} className="list-link">
              <span className="tree-news" data-by={marks.get(path)?.by} aria-hidden="true" />
              <span>{withoutExtension(path.split('/').at(-1)!)}</span>
              <span className="quiet">{folderOf(path)}</span>
              <span className="quiet home-news-by">
                {authorsInWords(authors, here.person.id)}, {ago(new Date(at), systemClock.now())}
              </span>
            </FileLink>
          </li>
        ))}
      </ul>
      <div className="home-actions">
        {changed.length > shown.length && (
          <button type="button" className="button" onClick={() => setWanted(changed.length)}>
            Show all {changed.length.toLocaleString()}
          </button>
        )}
        <button type="button" className="button" onClick={() => void readAll()}>
          Mark all as read
        </button>
      </div>
      {changed.length === shown.length && notes > changed.length && (
        <p className="quiet">and {(notes - changed.length).toLocaleString()} older changes</p>
      )}
    </section>
  )
}
