import { useRoute } from '../app/services.ts'
import { HistoryPage } from '../history/history-page.tsx'
import type { Entry } from '../links/link-index.ts'
import { AttachmentView } from '../note/attachment-view.tsx'
import { NoteFrame } from '../note/note-frame.tsx'
import { NoteHead } from '../note/note-head.tsx'
import { MarginState } from '../saving/margin-state.tsx'
import { TrashPage } from '../trash/trash-page.tsx'
import { useVault } from './vault-context.ts'
import { VaultHome } from './vault-home.tsx'

type Props = {
  /** The file that the address names, if the tree has it. */
  entry: Entry | undefined
  recents: readonly string[]
  onMenu: () => void
  onPanel: () => void
}

/** What the address asks for: a note, its history, an attachment, the deleted notes, or the first page of the vault. */
export function VaultPage({ entry, recents, onMenu, onPanel }: Props) {
  const { path, view } = useRoute()
  const { vault } = useVault()
  if (path !== undefined && view === 'history') return <HistoryPage key={path} path={path} onMenu={onMenu} />
  if (path !== undefined && entry?.kind !== 'attachment')
    return <NoteFrame path={path} onMenu={onMenu} onPanel={onPanel} />
  return (
    <main className="centre">
      <NoteHead path={path} margin={<MarginState session={undefined} />} onMenu={onMenu} />
      {entry ? (
        <AttachmentView vaultId={vault.id} entry={entry} />
      ) : view === 'deleted' ? (
        <TrashPage />
      ) : (
        <VaultHome recents={recents} />
      )}
    </main>
  )
}
