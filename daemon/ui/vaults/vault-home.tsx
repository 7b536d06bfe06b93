import '../styles/vault-home.css'
import { useMemo } from 'react'
import { counted } from '../app/counted.ts'
import { Keys } from '../app/keys.tsx'
import { shortcuts } from '../app/shortcuts.ts'
import { Icon } from '../app/icon.tsx'
import { withoutExtension, type Entry } from '../links/link-index.ts'
import { FileLink } from '../links/file-link.tsx'
import { folderOf } from '../links/resolve-link.ts'
import { NewNotes } from '../news/new-notes.tsx'
import { useNews } from '../news/news-context.ts'
import { useVault } from './vault-context.ts'

const SHOWN = 8
const STARTS = ['home.md', 'readme.md', 'index.md', 'start.md']

/** The vault without an open note: where to begin, what is new, and what was open last. */
export default function VaultHome({ recents }: { recents: readonly string[] }) {
  const { vault, index, treeRefusal, show } = useVault()
  // What stands below the news waits for them, so that it does not move away from under a click.
  const areNewsKnown = useNews().loaded.state !== 'loading'
  const start = STARTS.flatMap((name) => index.notes.find(({ path }) => path.toLowerCase() === name) ?? [])[0]
  const recent = recents.flatMap((path) => index.find(path) ?? []).slice(0, SHOWN)
  const changed = useMemo(
    () => index.notes.toSorted((one, other) => (one.modifiedAt < other.modifiedAt ? 1 : -1)).slice(0, SHOWN),
    [index],
  )

  return (
    <div className="note-scroll">
      <div className="vault-home">
        <h1>{vault.displayName}</h1>
        <p className="quiet" aria-busy={!index.isKnown && !treeRefusal}>
          {index.isKnown
            ? `${counted(index.notes.length, 'note')}, ${counted(index.entries.length - index.notes.length, 'attachment')}`
            : treeRefusal
              ? 'What is in the vault could not be read.'
              : 'Loading what is in the vault…'}
        </p>
        <div className="home-actions">
          {start && (
            <FileLink to={start.path} className="button primary">
              <Icon name="book" /> Start with {withoutExtension(start.name)}
            </FileLink>
          )}
          <button type="button" className={start ? 'button' : 'button primary'} onClick={() => show('new-note')}>
            <Icon name="plus" /> New note
          </button>
          <button type="button" className="button" onClick={() => show('switcher')}>
            <Icon name="search" /> Open a note <Keys keys={shortcuts.switcher.keys} />
          </button>
        </div>
        {index.notes.length > 0 && <NewNotes />}
        {areNewsKnown && (
          <div className="home-lists">
            {recent.length > 0 && <List title="Opened last" entries={recent} />}
            {changed.length > 0 && <List title="Changed last" entries={changed} />}
          </div>
        )}
        {index.isKnown && index.notes.length === 0 && <p>This vault has no notes yet. Make the first one.</p>}
        <p className="quiet key-hint">
          <Keys keys="?" /> shows all keys
        </p>
      </div>
    </div>
  )
}

type ListProps = { title: string; entries: readonly Entry[] }

function List({ title, entries }: ListProps) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ul className="plain-list">
        {entries.map((entry) => (
          <li key={entry.path}>
            <FileLink to={entry.path} className="list-link">
              <span>{withoutExtension(entry.name)}</span>
              <span className="quiet">{folderOf(entry.path)}</span>
            </FileLink>
          </li>
        ))}
      </ul>
    </section>
  )
}
