import { isAtOrBelow, movedPath } from '../tree/moved-path.ts'

export type PaneId = 0 | 1

/** One side of the screen: the files that are open in it, by path, and the active one. */
export type Pane = { id: PaneId; tabs: readonly string[]; active: string | undefined }

/** The open files of a vault: one pane, or two side by side; and the closed tabs, the last one first. */
export type Workspace = { panes: readonly [Pane, ...Pane[]]; focused: PaneId; closed: readonly string[] }

/** The most tabs of a pane; nobody finds their way among more. */
export const MOST_TABS = 50
const MOST_CLOSED = 20

export const emptyWorkspace: Workspace = { panes: [{ id: 0, tabs: [], active: undefined }], focused: 0, closed: [] }

export const focusedPane = ({ panes, focused }: Workspace): Pane => panes.find(({ id }) => id === focused) ?? panes[0]

/** Opens a file in the focused pane: in its tab if it has one, otherwise in place of the active file. */
export function show(now: Workspace, path: string): Workspace {
  const { tabs, active } = focusedPane(now)
  if (active === path) return now
  if (tabs.includes(path)) return inFocused(now, { active: path })
  if (active === undefined) return openTab(now, { path, as: 'shown' })
  return inFocused(now, { tabs: tabs.map((tab) => (tab === active ? path : tab)), active: path })
}

/** Opens a file in a tab of its own, right of the active one. */
export function openTab(now: Workspace, { path, as }: { path: string; as: 'shown' | 'behind' }): Workspace {
  const { tabs, active } = focusedPane(now)
  const shown = as === 'shown' || active === undefined ? path : active
  if (tabs.includes(path)) return inFocused(now, { active: shown })
  const at = active === undefined ? tabs.length : tabs.indexOf(active) + 1
  const all = tabs.toSpliced(at, 0, path)
  const surplus = all.length > MOST_TABS ? all.find((tab) => tab !== shown && tab !== path) : undefined
  const next = inFocused(now, { tabs: all.filter((tab) => tab !== surplus), active: shown })
  return surplus === undefined ? next : { ...next, closed: withClosed(next, surplus) }
}

/** Moves the focus to a pane. */
export function focusPane(now: Workspace, id: PaneId): Workspace {
  return now.focused === id || !now.panes.some((pane) => pane.id === id) ? now : { ...now, focused: id }
}

/** A file or folder has another path now. */
export function movedTabs(now: Workspace, move: { from: string; to: string }): Workspace {
  const renamed = (path: string) => (isAtOrBelow(path, move.from) ? movedPath(path, move) : path)
  return eachPane(now, ({ id, tabs, active }) => ({
    id,
    tabs: [...new Set(tabs.map(renamed))],
    active: active === undefined ? undefined : renamed(active),
  }))
}

/** A file or folder was deleted: its tabs close. */
export function withoutDeleted(now: Workspace, path: string): Workspace {
  return eachPane(now, ({ id, tabs, active }) => {
    const rest = tabs.filter((tab) => !isAtOrBelow(tab, path))
    const next = rest[Math.min(tabs.indexOf(active ?? ''), rest.length - 1)]
    return { id, tabs: rest, active: active !== undefined && isAtOrBelow(active, path) ? next : active }
  })
}

/** Changes the focused pane. */
export function inFocused(now: Workspace, change: Partial<Pane>): Workspace {
  return eachPane(now, (pane) => (pane.id === now.focused ? { ...pane, ...change } : pane))
}

/** Changes each pane; of two, one that is left without tabs closes. */
function eachPane(now: Workspace, change: (pane: Pane) => Pane): Workspace {
  const changed = now.panes.map(change)
  const [first = changed[0]!, ...more] = changed.filter(({ tabs }) => tabs.length > 0)
  const panes: Workspace['panes'] = [first, ...more]
  return { ...now, panes, focused: panes.some(({ id }) => id === now.focused) ? now.focused : first.id }
}

/** The closed tabs, with one more in front. */
export const withClosed = ({ closed }: Workspace, path: string) =>
  [path, ...closed.filter((one) => one !== path)].slice(0, MOST_CLOSED)
