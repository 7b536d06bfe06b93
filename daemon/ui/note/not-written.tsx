import { useState } from 'react'
import { asRefusal, type Refusal } from '../api/refusal.ts'
import { useLoaded } from '../api/use-loaded.ts'
import { failureText } from '../app/failure-text.ts'
import { useServices } from '../app/services.ts'
import { comparable, isNoteName, withoutExtension } from '../links/link-index.ts'
import { FileLink } from '../links/file-link.tsx'
import { useVault } from '../vaults/vault-context.ts'

type Props = { path: string; onWritten: () => void }

/** The page for an address without a note: offers to create the note, and lists notes of that name in other folders. */
export default function NotWritten({ path, onWritten }: Props) {
  const { client } = useServices()
  const { vault, index, refreshTree, setMode } = useVault()
  const [refusal, setRefusal] = useState<Refusal>()
  const name = path.split('/').at(-1)!
  const namesakes = index.entries.filter((entry) => comparable(entry.name) === comparable(name) && entry.path !== path)
  const isNote = isNoteName(name)
  const [moved] = useLoaded(`moved ${vault.id}/${path}`, (signal) =>
    isNote ? client.findMoved({ vaultId: vault.id, path }, signal) : Promise.resolve(undefined),
  )
  const movedTo = moved.state === 'ready' ? moved.value : undefined

  const write = async () => {
    try {
      await client.createNote({ vaultId: vault.id, path }, '')
      refreshTree()
      setMode('source')
      onWritten()
    } catch (thrown) {
      const refused = asRefusal(thrown)
      if (refused.code === 'note_exists') onWritten()
      else setRefusal(refused)
    }
  }

  return (
    <section className="notice" role="alert">
      <h1>{titleOf(name, { isNote, isMoved: movedTo !== undefined })}</h1>
      {movedTo === undefined ? (
        <p>
          Nothing stands at <code>{path}</code>. It may have been moved, renamed or deleted.
        </p>
      ) : (
        <p>
          The note that was at <code>{path}</code> is now at <FileLink to={movedTo}>{movedTo}</FileLink>.
        </p>
      )}
      {movedTo === undefined && namesakes.length > 0 && (
        <>
          <p>The same name is also at:</p>
          <ul className="plain-list">
            {namesakes.slice(0, 8).map((entry) => (
              <li key={entry.path}>
                <FileLink to={entry.path}>{entry.path}</FileLink>
              </li>
            ))}
          </ul>
        </>
      )}
      {refusal && (
        <p className="field-error" role="alert">
          {failureText(refusal).title}
        </p>
      )}
      {isNote && (
        <div className="notice-actions">
          <button type="button" className="button primary" onClick={() => void write()}>
            Create this note
          </button>
        </div>
      )}
    </section>
  )
}

function titleOf(name: string, { isNote, isMoved }: { isNote: boolean; isMoved: boolean }): string {
  if (!isNote) return `There is no “${name}” here`
  return isMoved ? `“${withoutExtension(name)}” was moved` : `“${withoutExtension(name)}” is not written yet`
}
