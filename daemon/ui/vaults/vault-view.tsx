import { Suspense, useCallback, useEffect, useMemo, useState } from 'react'
import { lazyPart, loadAhead, onMissingPart } from '../parts/lazy-part.tsx'
import type { PersonHere } from '@svc/shared/wire/person.api.ts'
import type { VaultSummary } from '../api/daemon-client.ts'
import { shortcutActions } from '../app/shortcut-actions.ts'
import { useEditingLook } from '../editor/editing-look.ts'
import { useRoute, useServices } from '../app/services.ts'
import { Toast, useAnnouncement } from '../app/toast.tsx'
import { useShortcuts } from '../app/use-shortcuts.ts'
import { withoutExtension } from '../links/link-index.ts'
import { folderOf } from '../links/resolve-link.ts'
import { keptTexts, openKeptTexts } from '../saving/kept-texts.ts'
import { vaultSessions, type VaultSessions } from '../saving/vault-sessions.ts'
import { tabLocks } from '../saving/tab-lock.ts'
import { NewsContext } from '../news/news-context.ts'
import { useVaultNews } from '../news/use-vault-news.ts'
import { useExpanded } from '../tree/use-expanded.ts'
import { PaneView } from '../tabs/pane-view.tsx'
import { tabStore } from '../tabs/tab-store.ts'
import { useNewTabClicks } from '../tabs/use-new-tab-clicks.ts'
import { useTabs } from '../tabs/use-tabs.ts'
import type { PaneId } from '../tabs/workspace.ts'
import { Sidebar } from './sidebar.tsx'
import { useDrawers } from './use-drawers.ts'
import { useRecents } from './use-recents.ts'
import { useVaultTree } from './use-vault-tree.ts'
import { VaultContext, type Mode, type OpenVault, type Overlay } from './vault-context.ts'
import { VaultPage } from './vault-page.tsx'

// Loaded with the first action of the person, so that the code is there when a key needs it.
const loadOverlays = () => import('./overlays.tsx')
const loadForKeys = () => Promise.all([loadOverlays(), import('../app/focus-parts.ts')])
const Overlays = lazyPart(loadOverlays)

/** The open notes of each vault that was open on this page, by person and vault: some have unsent words when it is left. */
export type KnownSessions = Map<string, VaultSessions>

type Modes = Record<PaneId, Mode>
type Props = { vault: VaultSummary; here: PersonHere; known: KnownSessions; onVaultsChanged: () => void }

/** One open vault: the frame of tree, note and panels, and what they share. */
export function VaultView({ vault, here, known, onVaultsChanged }: Props) {
  const { client, navigation, memory, visit } = useServices()
  const route = useRoute()
  const { path } = route
  const owner = here.person.id
  const [sessions] = useState(() => {
    const key = `${owner} ${vault.id}`
    const kept = keptTexts({ owner, locks: tabLocks(navigator.locks), open: openKeptTexts })
    const mine = known.get(key) ?? vaultSessions({ client, kept, vaultId: vault.id })
    known.set(key, mine)
    return mine
  })

  const [tabs] = useState(() => tabStore({ vaultId: vault.id, navigation, memory, visit }))
  const { panes, focused } = useTabs({ tabs, sessions })

  const { loaded, tree, index, treeRefusal, reload, loadFolder } = useVaultTree(vault.id, sessions)
  const news = useVaultNews({ vaultId: vault.id, reader: owner, tree })
  const [expanded, setExpanded] = useExpanded(vault.id)

  const [modes, setModes] = useState<Modes>({ 0: 'reading', 1: 'reading' })
  const mode = modes[focused]
  const { look, toggle: toggleLook } = useEditingLook()
  const setModeOf = useMemo(
    () => ({
      0: (mode: Mode) => setModes((modes) => ({ ...modes, 0: mode })),
      1: (mode: Mode) => setModes((modes) => ({ ...modes, 1: mode })),
    }),
    [],
  )
  const [panel, setPanel] = useState<HTMLDivElement | null>(null)
  const [overlay, show] = useState<Overlay>()
  const [query, setQuery] = useState('')
  const { said, announce, clear } = useAnnouncement()
  const { sidebar, panel: panelDrawer, toggleSidebar, togglePanel, showSidebar, uncover } = useDrawers()
  const [searchBox, setSearchBox] = useState<HTMLInputElement | null>(null)
  const recents = useRecents(vault.id, path)
  useEffect(
    () =>
      onMissingPart(() =>
        announce('A part of this page could not be loaded', () => location.reload(), 'Load it again'),
      ),
    [announce],
  )
  useEffect(() => {
    const load = () => loadAhead(loadForKeys)
    const acts = ['keydown', 'pointerdown', 'pointermove'] as const
    for (const act of acts) window.addEventListener(act, load, { once: true })
    return () => acts.forEach((act) => window.removeEventListener(act, load))
  }, [])

  useEffect(() => {
    if (path === undefined) document.title = vault.displayName
  }, [path, vault.displayName])

  const open = useCallback<OpenVault['open']>(
    (to, place) => {
      uncover()
      navigation.open({ vaultId: vault.id, path: to, ...place })
    },
    [navigation, vault.id, uncover],
  )
  const openTab = useCallback<OpenVault['openTab']>(
    (file, as) => {
      uncover()
      tabs.openTab(file, as)
      if (as === 'behind') announce(`Opened “${withoutExtension(file.path.split('/').at(-1)!)}” in a tab`)
    },
    [tabs, uncover, announce],
  )
  const shell = useNewTabClicks(vault.id, openTab)
  const searchFor = useCallback(
    (wanted: string) => {
      setQuery(wanted)
      showSidebar(() => searchBox?.focus())
    },
    [showSidebar, searchBox],
  )
  const focusSearch = useCallback(() => showSidebar(() => searchBox?.select()), [showSidebar, searchBox])

  const openVault = useMemo<OpenVault>(
    () => ({
      vault,
      here,
      can: (act) => here.capabilities.includes(act),
      tree,
      index,
      treeRefusal,
      sessions,
      mode,
      setMode: setModeOf[focused],
      look,
      toggleLook,
      show,
      open,
      openTab,
      tabs,
      searchFor,
      refreshTree: reload,
      announce,
    }),
    [
      vault,
      here,
      tree,
      index,
      treeRefusal,
      sessions,
      mode,
      setModeOf,
      focused,
      look,
      toggleLook,
      open,
      openTab,
      tabs,
      searchFor,
      reload,
      announce,
    ],
  )

  const entry = path === undefined ? undefined : index.find(path)
  const isAttachment = entry?.kind === 'attachment'
  const hands = {
    vault: openVault,
    tabs,
    focusSearch,
    toggleSidebar,
    saveNow: () =>
      void (
        path !== undefined &&
        sessions
          .find(path)
          ?.saveNow()
          .catch(() => {})
      ),
  }
  useShortcuts(shortcutActions(hands))

  return (
    <VaultContext value={openVault}>
      <NewsContext value={news}>
        <div
          ref={shell}
          className="shell"
          data-sidebar={sidebar}
          data-panel={panelDrawer}
          data-split={panes.length > 1}
        >
          <Sidebar
            loaded={loaded}
            current={path}
            expanded={expanded}
            onExpanded={setExpanded}
            onTruncated={(folder) => void loadFolder(folder).catch(() => announce('This folder could not be read'))}
            query={query}
            onQuery={setQuery}
            searchBox={setSearchBox}
          />
          <button type="button" className="scrim" aria-label="Close the drawer" tabIndex={-1} onClick={uncover} />
          {panes.map((pane, nth) => (
            <PaneView
              key={pane.id}
              pane={pane}
              isFocused={pane.id === focused}
              side={panes.length === 1 ? undefined : nth === 0 ? 'left' : 'right'}
              mode={modes[pane.id]}
              onMode={setModeOf[pane.id]}
              panel={panel}
            >
              <VaultPage recents={recents} onMenu={toggleSidebar} onPanel={togglePanel} onUncover={uncover} />
            </PaneView>
          ))}
          <div ref={setPanel} className="panel-place" />
        </div>
        <Toast said={said} onGone={clear} />
        <Suspense>
          {overlay !== undefined && (
            <Overlays
              overlay={overlay}
              recents={recents}
              hands={hands}
              note={isAttachment ? undefined : path}
              togglePanel={togglePanel}
              collapseAll={() => setExpanded(new Set())}
              newNoteIn={path === undefined ? '' : folderOf(path)}
              onVaultsChanged={onVaultsChanged}
            />
          )}
        </Suspense>
      </NewsContext>
    </VaultContext>
  )
}
