import { Suspense } from 'react'
import { lazyPart } from '../parts/lazy-part.tsx'
import { missingView } from '../parts/part-boundary.tsx'
import { useRoute } from '../app/services.ts'
import { NoteFrame } from '../note/note-frame.tsx'
import { NoteHead } from '../note/note-head.tsx'
import { MarginState } from '../saving/margin-state.tsx'
import { Sheet } from '../tabs/sheet.tsx'
import { useVault } from './vault-context.ts'

// Reading a note loads none of these.
const HistoryPage = lazyPart(() => import('../history/history-page.tsx'), missingView)
const AttachmentView = lazyPart(() => import('../note/attachment-view.tsx'), missingView)
const VaultHome = lazyPart(() => import('./vault-home.tsx'), missingView)
const AgentsPage = lazyPart(() => import('../agents/agents-page.tsx'), missingView)
const TrashPage = lazyPart(() => import('../trash/trash-page.tsx'), missingView)
const GraphPage = lazyPart(() => import('../graph/graph-page.tsx'), missingView)
const TagsPage = lazyPart(() => import('../tags/tags-page.tsx'), missingView)

type Props = {
  recents: readonly string[]
  onMenu: () => void
  onPanel: () => void
  /** Closes what lies over the page. */
  onUncover: () => void
}

/** The page of the address: a note, its history, an attachment, or one of the vault's own pages. */
export function VaultPage({ recents, onMenu, onPanel, onUncover }: Props) {
  const { path, view } = useRoute()
  const { vault, index } = useVault()
  const entry = path === undefined ? undefined : index.find(path)
  if (path !== undefined && view === 'history')
    return (
      <Suspense fallback={<Sheet busy />}>
        <HistoryPage key={path} path={path} onMenu={onMenu} onPanel={onPanel} onUncover={onUncover} />
      </Suspense>
    )
  if (path !== undefined && entry?.kind !== 'attachment' && view !== 'graph')
    return <NoteFrame path={path} onMenu={onMenu} onPanel={onPanel} />
  return (
    <Sheet>
      <NoteHead path={path} margin={<MarginState session={undefined} />} onMenu={onMenu} />
      {view === 'graph' ? (
        <Suspense>
          <GraphPage key={path} path={path} />
        </Suspense>
      ) : entry ? (
        <Suspense>
          <AttachmentView vaultId={vault.id} entry={entry} />
        </Suspense>
      ) : view === 'agents' ? (
        <Suspense>
          <AgentsPage />
        </Suspense>
      ) : view === 'tags' ? (
        <Suspense>
          <TagsPage />
        </Suspense>
      ) : view === 'deleted' ? (
        <Suspense>
          <TrashPage />
        </Suspense>
      ) : (
        <Suspense>
          <VaultHome recents={recents} />
        </Suspense>
      )}
    </Sheet>
  )
}
