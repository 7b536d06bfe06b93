import { Icon } from '../app/icon.tsx'
import { withoutExtension } from '../links/link-index.ts'
import { useVault } from '../vaults/vault-context.ts'

type Props = { path: string | undefined; onMenu: () => void; onPanel?: () => void }

/** Over the note: where it lies, and what can be done with it. */
export function NoteBar({ path, onMenu, onPanel }: Props) {
  const { vault, mode, setMode, show } = useVault()
  const crumbs = path === undefined ? [vault.displayName] : withoutExtension(path).split('/')
  const isOpen = onPanel !== undefined
  return (
    <header className="note-bar">
      <button
        type="button"
        className="icon-button"
        aria-label="Show or hide the tree"
        title="Show or hide the tree"
        onClick={onMenu}
      >
        <Icon name="menu" />
      </button>
      <ol className="crumbs" aria-label="Path">
        {crumbs.map((crumb, at) => (
          // eslint-disable-next-line react/no-array-index-key
          <li key={at}>{crumb}</li>
        ))}
      </ol>
      {isOpen && (
        <>
          <button
            type="button"
            className="button mode-button"
            title={mode === 'reading' ? 'Edit the source' : 'Read it rendered'}
            onClick={() => setMode(mode === 'reading' ? 'source' : 'reading')}
          >
            <Icon name={mode === 'reading' ? 'pencil' : 'book'} />
            {mode === 'reading' ? 'Edit' : 'Read'}
          </button>
          <button
            type="button"
            className="icon-button"
            aria-label="Move to the trash"
            title="Move to the trash"
            onClick={() => show('delete-note')}
          >
            <Icon name="trash" />
          </button>
          <button
            type="button"
            className="icon-button"
            aria-label="Show or hide outline and properties"
            title="Outline and properties"
            onClick={onPanel}
          >
            <Icon name="panel" />
          </button>
        </>
      )}
    </header>
  )
}
