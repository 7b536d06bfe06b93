import '../styles/ledger.css'
import '../styles/vault-home.css'
import { useCallback, useEffect, useState } from 'react'
import type { NoteRef } from '../api/daemon-client.ts'
import { FailureNotice } from '../app/failure-notice.tsx'
import { useServices } from '../app/services.ts'
import { useLatest } from '../app/use-latest.ts'
import { withoutExtension } from '../links/link-index.ts'
import { NoteHead } from '../note/note-head.tsx'
import { MarginState } from '../saving/margin-state.tsx'
import { usePane } from '../tabs/pane-context.ts'
import { Sheet, SidePanel } from '../tabs/sheet.tsx'
import { useVault } from '../vaults/vault-context.ts'
import { Difference } from './difference.tsx'
import { useRestore } from './use-restore.ts'
import { useVersions } from './use-versions.ts'
import { versionBy } from './version-by.ts'
import { VersionList } from './version-list.tsx'

type Props = { path: string; onMenu: () => void; onPanel: () => void; onUncover: () => void }

/** The history of one note: its versions at the side, the changes of the chosen one in the main part. */
export default function HistoryPage({ path, onMenu, onPanel, onUncover }: Props) {
  const { navigation } = useServices()
  const { vault, tree } = useVault()
  const { isFocused } = usePane()
  const ref: NoteRef = { vaultId: vault.id, path }
  const { loaded, reload, isReadingOlder, showOlder } = useVersions(ref)
  // The tree changes with the vault, so the note may have a new version.
  useEffect(reload, [tree, reload])
  const { revisions, hasOlder } = loaded.state === 'ready' ? loaded.value : { revisions: [], hasOlder: false }
  const listed = hasOlder ? revisions.slice(0, -1) : revisions
  const [picked, pick] = useState<string>()
  const [firstOlder, setFirstOlder] = useState<string>()
  const at = Math.max(
    0,
    listed.findIndex(({ rev }) => rev === picked),
  )
  const shown = listed[at]
  const back = useCallback(() => navigation.open({ vaultId: vault.id, path }), [navigation, vault.id, path])

  useEffect(() => {
    document.title = `History of ${withoutExtension(path.split('/').at(-1)!)} · ${vault.displayName}`
  }, [path, vault.displayName])

  const more = hasOlder ? showOlder : undefined
  const latest = useLatest({ isFocused, older: listed[at + 1], newer: listed[at - 1], back, more })
  useEffect(() => {
    const step = (event: KeyboardEvent) => {
      if (!latest.current.isFocused || event.defaultPrevented || document.querySelector('dialog[open]')) return
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return
      // If the tree or the panel lies over the page, Escape only closes that.
      if (event.key === 'Escape' && !document.querySelector('.scrim')?.checkVisibility()) latest.current.back()
      const next = event.key === 'j' ? latest.current.older : event.key === 'k' ? latest.current.newer : undefined
      if (next) pick(next.rev)
      else if (event.key === 'j') latest.current.more?.()
    }
    window.addEventListener('keydown', step)
    return () => window.removeEventListener('keydown', step)
  }, [latest])

  const restore = useRestore(ref, back)

  return (
    <>
      <Sheet>
        <NoteHead path={path} margin={<MarginState session={undefined} />} onMenu={onMenu} onVersions={onPanel} />
        <div className="note-scroll">
          <div className="ledger">
            <h1>History</h1>
            <div className="home-actions">
              <button type="button" className="button" onClick={back}>
                Back to the note
              </button>
              {at > 0 && shown && (
                <button type="button" className="button primary" onClick={() => void restore.version(shown)}>
                  Restore this version
                </button>
              )}
            </div>
          </div>
          {loaded.state === 'refused' && (
            <FailureNotice refusal={loaded.refusal} retryInSeconds={loaded.retryInSeconds} onRetry={reload} />
          )}
          {loaded.state === 'ready' && revisions.length === 0 && (
            <p className="quiet empty-note">No version is kept yet. A version is kept shortly after each change.</p>
          )}
          {shown && (
            <Difference
              note={ref}
              revision={shown}
              previous={revisions[at + 1]}
              by={versionBy(shown, revisions)}
              onUndo={(texts, hunk) => void restore.undo(texts, hunk)}
            />
          )}
        </div>
      </Sheet>
      <SidePanel>
        <aside className="panel" aria-label="Versions">
          <VersionList
            listed={listed}
            all={revisions}
            current={shown?.rev}
            firstOlder={firstOlder}
            onPick={(rev) => {
              pick(rev)
              onUncover()
            }}
          />
          {more && (
            <button
              type="button"
              className="button"
              aria-busy={isReadingOlder}
              onClick={() => {
                setFirstOlder(revisions.at(-1)?.rev)
                more()
              }}
            >
              Show older versions
            </button>
          )}
          {revisions.length > 1 && (
            <p className="quiet key-hint">
              <kbd>j</kbd> <kbd>k</kbd> older, newer
            </p>
          )}
        </aside>
      </SidePanel>
    </>
  )
}

/** Also looks into the shadow root of an editor. */
function isTyping(event: KeyboardEvent): boolean {
  const target = event.composedPath()[0]
  return target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null
}
