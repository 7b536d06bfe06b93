import type { Memory } from '../app/memory.ts'
import type { Navigation } from '../app/navigation.ts'
import type { Route } from '../app/route.ts'
import type { NotePlace } from '../note/find-place.ts'
import { isAtOrBelow, movedPath } from '../tree/moved-path.ts'
import { keptWorkspace } from './kept-workspace.ts'
import {
  focusPane,
  focusedPane,
  movedTabs,
  openTab,
  show,
  withoutDeleted,
  type PaneId,
  type Workspace,
} from './workspace.ts'

/** A file, and the place at which its tab begins. */
export type TabFile = { path: string } & NotePlace

export type TabStore = ReturnType<typeof tabStore>

type Deps = {
  vaultId: string
  navigation: Navigation
  /** Storage that lasts, and storage that lasts as long as this browser tab is open. */
  memory: Memory
  visit: Memory
}

/**
 * The tabs and panes of one vault. The address always names what the focused pane shows: opening an address changes the
 * tabs, and changing the tabs opens an address. A reloaded page gets its own tabs back; a new page starts with the tabs
 * that were open last.
 */
export function tabStore({ vaultId, navigation, memory, visit }: Deps) {
  const key = `tabs.${vaultId}`
  const listeners = new Set<() => void>()
  /** The route that each pane showed last, and the active file of the pane at that time. */
  const routes = new Map<PaneId, { route: Route; active: string | undefined }>()
  /** The place at which a file begins, for tabs that nobody has looked at yet. */
  const places = new Map<string, NotePlace>()
  let now = keptWorkspace(visit.recall<unknown>(key, undefined) ?? memory.recall<unknown>(key, undefined))

  const set = (next: Workspace) => {
    if (next === now) return
    now = next
    // A pane that is opened later begins anew.
    for (const id of routes.keys()) if (!now.panes.some((pane) => pane.id === id)) routes.delete(id)
    visit.keep(key, now)
    memory.keep(key, now)
    for (const listener of listeners) listener()
  }

  const routeTo = (path: string | undefined): Route => {
    if (path === undefined) return { vaultId }
    const place = places.get(path)
    places.delete(path)
    return { vaultId, path, ...place }
  }

  /** The route of the active file of a pane, whatever the pane showed before; remembered as what it shows. */
  const fileRoute = (id: PaneId, active: string | undefined): Route => {
    const route = routeTo(active)
    routes.set(id, { route, active })
    return route
  }

  /** The route that the pane showed last; if it has another active file by now, the route of that file. */
  const lastRoute = (id: PaneId, active: string | undefined): Route => {
    const last = routes.get(id)
    const { path } = last?.route ?? {}
    const isCurrent = last?.active === active && (path === undefined || path === active)
    return last && isCurrent ? last.route : fileRoute(id, active)
  }

  const routeOf = (id: PaneId): Route => {
    const address = navigation.current()
    if (id === now.focused && address.vaultId === vaultId) return address
    return lastRoute(id, now.panes.find((pane) => pane.id === id)?.active)
  }

  const remember = (route: Route) => void routes.set(now.focused, { route, active: focusedPane(now).active })

  const follow = () => {
    const address = navigation.current()
    if (address.vaultId !== vaultId) return
    if (address.path !== undefined) set(show(now, address.path))
    remember(address)
  }

  /** Changes tabs or panes, and navigates to the route of the focused pane. */
  const change = (wanted: (now: Workspace) => Workspace) => {
    const before = now
    set(wanted(before))
    const pane = focusedPane(now)
    const { id, active } = pane
    // A pane that is only left over, because the other one closed, shows what it showed. A changed one shows its file.
    if (id !== before.focused) navigation.replace((before.panes.includes(pane) ? lastRoute : fileRoute)(id, active))
    else if (active !== focusedPane(before).active) navigation.open(routeTo(active))
  }

  /** A link to another note opens a tab of its own, so that no open file is lost. */
  const { path } = navigation.current()
  if (path !== undefined) set(openTab(now, { path, as: 'shown' }))
  remember(navigation.current())

  return {
    current: () => now,
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    /** The files that are open. */
    paths: (): readonly string[] => [...new Set(now.panes.flatMap((pane) => pane.tabs))],
    /** Follows the address until the returned function is called. */
    attach: () => navigation.subscribe(follow),
    /** The route of a pane. The same object as long as the pane has not navigated. */
    routeOf,
    change,
    /** Opens a file in a tab of its own. The tab begins at `place` when it is first shown. */
    openTab: ({ path, ...place }: TabFile, as: 'shown' | 'behind') => {
      if (path !== focusedPane(now).active) places.set(path, place)
      change((now) => openTab(now, { path, as }))
      // The file was active already, but behind another page.
      const here = navigation.current()
      if (as === 'shown' && (here.path !== path || here.view !== undefined))
        navigation.open({ vaultId, path, ...place })
    },
    /**
     * Records that the person is in a pane now. The address names it from here on; Back leads to what this pane showed
     * before.
     */
    focus: (id: PaneId) => {
      const next = focusPane(now, id)
      if (next === now) return
      set(next)
      navigation.replace(lastRoute(id, focusedPane(next).active))
    },
    /** Shows a tab of a pane. */
    go: (id: PaneId, path: string) => {
      set(focusPane(now, id))
      navigation.open(routeTo(path))
    },
    /** A file or folder has another path now: its tabs and the address follow. */
    moved: (move: { from: string; to: string }) => {
      const { path, ...place } = navigation.current()
      const renamed = (one: string) => (isAtOrBelow(one, move.from) ? movedPath(one, move) : one)
      for (const [id, { route, active }] of routes)
        if (active !== undefined) routes.set(id, { route, active: renamed(active) })
      set(movedTabs(now, move))
      if (path !== undefined && renamed(path) !== path) navigation.replace({ ...place, path: renamed(path) })
    },
    /** A file or folder was deleted: its tabs close, and a page that shows it goes to the next tab. */
    deleted: (path: string) => {
      const open = navigation.current().path
      const next = withoutDeleted(now, path)
      for (const { id, active } of next.panes) {
        const last = routes.get(id)
        if (last?.active !== undefined && isAtOrBelow(last.active, path)) routes.set(id, { ...last, active })
      }
      set(next)
      const { id, active } = focusedPane(now)
      if (open !== undefined && isAtOrBelow(open, path)) navigation.replace(lastRoute(id, active))
    },
  }
}
