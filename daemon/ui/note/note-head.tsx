import type { ReactNode } from 'react'
import { Icon } from '../app/icon.tsx'
import { useServices } from '../app/services.ts'
import { withoutExtension } from '../links/link-index.ts'
import { useDeleteFile } from '../tree/use-delete-file.ts'
import { useVault, type Mode } from '../vaults/vault-context.ts'

type Props = {
  path: string | undefined
  margin: ReactNode
  /** Who has the note open. */
  people?: ReactNode
  onMenu: () => void
  onPanel?: () => void
  /** Shows or hides the versions, on the page of a note's history. */
  onVersions?: () => void
}

/** The head of the sheet. The margin shows whether the text is safe; beside it are the note's path and its actions. */
export function NoteHead({ path, margin, people, onMenu, onPanel, onVersions }: Props) {
  const { navigation } = useServices()
  const openVault = useVault()
  const { vault, show } = openVault
  const deleteFile = useDeleteFile(openVault)
  const crumbs = path === undefined ? [vault.displayName] : withoutExtension(path).split('/')
  return (
    <div className="note-head">
      <div className="note-margin">{margin}</div>
      <div className="note-tools">
        <button
          type="button"
          className="icon-button"
          data-drawer="tree"
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
        {people}
        {onVersions && (
          <button
            type="button"
            className="icon-button"
            data-drawer="panel"
            aria-label="Show or hide the versions"
            title="Versions"
            onClick={onVersions}
          >
            <Icon name="panel" />
          </button>
        )}
        {onPanel && path !== undefined && (
          <>
            <LookChoice />
            <div className="note-acts">
              <ModeChoice />
              <button
                type="button"
                className="icon-button"
                aria-label="History"
                title="History"
                onClick={() => navigation.open({ vaultId: vault.id, path, view: 'history' })}
              >
                <Icon name="history" />
              </button>
              <button
                type="button"
                className="icon-button"
                aria-label="Delete the note"
                title="Delete the note"
                onClick={() => void deleteFile({ kind: 'note', path })}
              >
                <Icon name="trash" />
              </button>
              <button
                type="button"
                className="icon-button"
                aria-label="More"
                title="More"
                onClick={() => show('palette')}
              >
                <Icon name="more" />
              </button>
              <button
                type="button"
                className="icon-button"
                data-drawer="panel"
                aria-label="Show or hide outline and properties"
                title="Outline and properties"
                onClick={onPanel}
              >
                <Icon name="panel" />
              </button>
            </div>
          </>
        )}
      </div>
    </div>
  )
}

const modes: readonly { mode: Mode; icon: 'book' | 'pencil'; name: string }[] = [
  { mode: 'reading', icon: 'book', name: 'Read' },
  { mode: 'source', icon: 'pencil', name: 'Edit' },
]

/** While a note is edited: whether its Markdown shows. */
function LookChoice() {
  const { mode, look, toggleLook } = useVault()
  if (mode !== 'source') return null
  return (
    <button
      type="button"
      className="icon-button"
      aria-label="Show the Markdown"
      title="Show the Markdown"
      aria-pressed={look === 'source'}
      onClick={toggleLook}
    >
      <Icon name="code" />
    </button>
  )
}

function ModeChoice() {
  const { mode: current, setMode } = useVault()
  return (
    <span className="segments" role="group" aria-label="How the note is shown">
      {modes.map(({ mode, icon, name }) => (
        <button
          key={mode}
          type="button"
          aria-label={name}
          aria-pressed={mode === current}
          onClick={() => setMode(mode)}
        >
          <Icon name={icon} />
          <span className="segment-name">{name}</span>
        </button>
      ))}
    </span>
  )
}
