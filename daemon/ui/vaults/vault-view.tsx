import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { systemClock } from '@svc/shared/kit/clock.ts'
import type { VaultSummary, Who } from '../api/daemon-client.ts'
import { commands, shortcutActions } from '../app/commands.ts'
import { useRoute, useServices } from '../app/services.ts'
import { StatusLine } from '../app/status-line.tsx'
import { useShortcuts } from '../app/use-shortcuts.ts'
import { folderOf } from '../links/resolve-link.ts'
import { AttachmentView } from '../note/attachment-view.tsx'
import { storedDrafts } from '../note/drafts.ts'
import { NoteBar } from '../note/note-bar.tsx'
import { NoteFrame } from '../note/note-frame.tsx'
import { noteSessions } from '../note/note-sessions.ts'
import { useExpanded } from '../tree/use-expanded.ts'
import { Overlays } from './overlays.tsx'
import { withRecent } from './recents.ts'
import { Sidebar } from './sidebar.tsx'
import { useVaultTree } from './use-vault-tree.ts'
import { VaultContext, type Mode, type OpenVault, type Overlay } from './vault-context.ts'
import { VaultHome } from './vault-home.tsx'

type Props = { vault: VaultSummary; vaults: readonly VaultSummary[]; who: Who; onVaultsChanged: () => void }

/** One open vault: the frame of tree, note and panels, and what they share. */
export function VaultView({ vault, vaults, who, onVaultsChanged }: Props) {
  const { client, memory, navigation } = useServices()
  const route = useRoute()
  const { path } = route
  const owner = who.person?.id ?? 'local'
  const [drafts] = useState(() => storedDrafts({ storage: window.localStorage, now: systemClock.now, owner }))
  const [sessions] = useState(() => noteSessions({ client, drafts }))

  const openPath = useRef(path)
  openPath.current = path
  const recheckOpen = useCallback(() => {
    const open = openPath.current
    if (open !== undefined) void sessions.find(open)?.recheck()
  }, [sessions])
  const { loaded, tree, index, reload, loadFolder } = useVaultTree(vault.id, recheckOpen)
  const [expanded, setExpanded] = useExpanded(vault.id)

  const [mode, setModeState] = useState<Mode>('reading')
  const [overlay, show] = useState<Overlay>()
  const [query, setQuery] = useState('')
  const [message, announce] = useState('')
  const [sidebar, setSidebar] = useState<'auto' | 'open' | 'closed'>('auto')
  const [panel, setPanel] = useState<'auto' | 'open' | 'closed'>(() => memory.recall('panel', 'auto'))
  const searchBox = useRef<HTMLInputElement>(null)
  const [recents, setRecents] = useState(() => memory.recall<string[]>(`recents.${vault.id}`, []))

  useEffect(() => {
    if (path === undefined) {
      document.title = vault.displayName
      return
    }
    setRecents((recents) => {
      const next = withRecent(recents, path)
      memory.keep(`recents.${vault.id}`, next)
      return next
    })
  }, [path, vault, memory])

  useEffect(() => {
    if (message === '') return
    const timer = setTimeout(() => announce(''), 5000)
    return () => clearTimeout(timer)
  }, [message])

  useEffect(() => {
    const guard = (event: BeforeUnloadEvent) => {
      if (sessions.unsaved().length > 0) event.preventDefault()
    }
    window.addEventListener('beforeunload', guard)
    return () => window.removeEventListener('beforeunload', guard)
  }, [sessions])

  const isNarrow = () => window.matchMedia('(max-width: 760px)').matches
  const toggleSidebar = useCallback(() => {
    setSidebar((now) => (now === 'open' || (now === 'auto' && !isNarrow()) ? 'closed' : 'open'))
  }, [])
  const togglePanel = useCallback(() => {
    const isShown = (now: string) =>
      now === 'open' || (now === 'auto' && window.matchMedia('(min-width: 1100px)').matches)
    setPanel((now) => {
      const next = isShown(now) ? 'closed' : 'open'
      if (!window.matchMedia('(max-width: 1099px)').matches) memory.keep('panel', next)
      return next
    })
  }, [memory])
  const openSidebarFor = useCallback((focus: () => void) => {
    setSidebar((now) => (now === 'closed' || isNarrow() ? 'open' : now))
    requestAnimationFrame(focus)
  }, [])
  const closeDrawers = useCallback(() => {
    if (isNarrow()) setSidebar('closed')
    if (window.matchMedia('(max-width: 1099px)').matches) setPanel('closed')
  }, [])

  const open = useCallback<OpenVault['open']>(
    (to, place) => {
      closeDrawers()
      navigation.open({ vaultId: vault.id, path: to, ...place })
    },
    [navigation, vault.id, closeDrawers],
  )
  const searchFor = useCallback(
    (wanted: string) => {
      setQuery(wanted)
      openSidebarFor(() => searchBox.current?.focus())
    },
    [openSidebarFor],
  )
  const setMode = useCallback((next: Mode) => setModeState(next), [])

  const openVault = useMemo<OpenVault>(
    () => ({
      vault,
      who,
      tree,
      index,
      sessions,
      drafts,
      mode,
      setMode,
      show,
      open,
      searchFor,
      refreshTree: reload,
      announce,
    }),
    [vault, who, tree, index, sessions, drafts, mode, setMode, open, searchFor, reload],
  )

  const entry = path === undefined ? undefined : index.find(path)
  const isAttachment = entry?.kind === 'attachment'
  const hands = {
    vault: openVault,
    note: isAttachment ? undefined : path,
    focusSearch: () => openSidebarFor(() => searchBox.current?.select()),
    toggleSidebar,
    togglePanel,
    collapseAll: () => setExpanded(new Set()),
    saveNow: () => path !== undefined && sessions.find(path)?.tell({ event: 'save' }),
    copyText: (text: string) => void navigator.clipboard.writeText(text).then(() => announce('Copied')),
  }
  useShortcuts(shortcutActions(hands))

  return (
    <VaultContext value={openVault}>
      <div className="shell" data-sidebar={sidebar} data-panel={panel}>
        <Sidebar
          vaults={vaults}
          who={who}
          loaded={loaded}
          current={path}
          expanded={expanded}
          onExpanded={setExpanded}
          onTruncated={(folder) => void loadFolder(folder).catch(() => announce('This folder could not be read'))}
          query={query}
          onQuery={setQuery}
          searchBox={searchBox}
        />
        <button type="button" className="scrim" aria-label="Close the drawer" tabIndex={-1} onClick={closeDrawers} />
        {path !== undefined && !isAttachment && <NoteFrame path={path} onMenu={toggleSidebar} onPanel={togglePanel} />}
        {(path === undefined || isAttachment) && (
          <>
            <main className="centre">
              <NoteBar path={path} onMenu={toggleSidebar} />
              {entry && isAttachment ? (
                <AttachmentView vaultId={vault.id} entry={entry} />
              ) : (
                <VaultHome recents={recents} />
              )}
            </main>
            <StatusLine session={undefined} path={path} />
          </>
        )}
      </div>
      <p className="toast" role="status">
        {message}
      </p>
      <Overlays
        overlay={overlay}
        path={path}
        recents={recents.filter((recent) => recent !== path)}
        commands={() => commands(hands)}
        newNoteIn={path === undefined ? '' : folderOf(path)}
        onVaultsChanged={onVaultsChanged}
      />
    </VaultContext>
  )
}
