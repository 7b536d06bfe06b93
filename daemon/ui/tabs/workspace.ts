import { isAtOrBelow, movedPath } from '../tree/moved-path.ts'

export type PaneId = 0 | 1

/** One side of the screen: the files that are open in it, by path, and the one that it shows. */
export type Pane = { id: PaneId; tabs: readonly string[]; active: string | undefined }

/** What is open of a vault: one pane, or two side by side; and the tabs that were closed, the last one first. */
export type Workspace = { panes: readonly [Pane, ...Pane[]]; focused: PaneId; closed: readonly string[] }

const MOST_TABS = 50
const MOST_CLOSED = 20

export const emptyWorkspace: Workspace = { panes: [{ id: 0, tabs: [], active: undefined }], focused: 0, closed: [] }

export const focusedPane = ({ panes, focused }: Workspace): Pane => panes.find(({ id }) => id === focused) ?? panes[0]

/** A file is opened where the person is: in its tab if it has one, else in place of the file that is shown. */
export function show(now: Workspace, path: string): Workspace {
  const { tabs, active } = focusedPane(now)
  if (active === path) return now
  if (tabs.includes(path)) return inFocused(now, { active: path })
  if (active === undefined) return openTab(now, { path, as: 'shown' })
  return inFocused(now, { tabs: tabs.map((tab) => (tab === active ? path : tab)), active: path })
}

/** Opens a file in a tab of its own, right of the one that is shown. */
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

/** Closes a tab of the focused pane. Its neighbour is shown; a pane without tabs goes away while there is another. */
export function closeTab(now: Workspace, path: string): Workspace {
  const { tabs, active } = focusedPane(now)
  if (!tabs.includes(path)) return now
  const rest = tabs.filter((tab) => tab !== path)
  const next = rest[Math.min(tabs.indexOf(path), rest.length - 1)]
  return inFocused({ ...now, closed: withClosed(now, path) }, { tabs: rest, active: active === path ? next : active })
}

/** Opens the tab that was closed last. */
export function reopenTab(now: Workspace): Workspace {
  const [path, ...closed] = now.closed
  return path === undefined ? now : openTab({ ...now, closed }, { path, as: 'shown' })
}

/** Shows the next tab (1) or the one before (-1), round and round. */
export function stepTab(now: Workspace, by: 1 | -1): Workspace {
  const { tabs, active } = focusedPane(now)
  if (tabs.length === 0) return now
  const at = active === undefined ? (by === 1 ? -1 : 0) : tabs.indexOf(active)
  return inFocused(now, { active: tabs[(at + by + tabs.length) % tabs.length] })
}

/** Moves the tab that is shown one place. */
export function shiftTab(now: Workspace, by: 1 | -1): Workspace {
  const { tabs, active } = focusedPane(now)
  const to = active === undefined ? -1 : tabs.indexOf(active) + by
  if (active === undefined || to < 0 || to >= tabs.length) return now
  return inFocused(now, { tabs: tabs.filter((tab) => tab !== active).toSpliced(to, 0, active) })
}

/** Two panes side by side, both with the file that is shown; the new one has the focus. */
export function split(now: Workspace): Workspace {
  const { id, active } = focusedPane(now)
  if (now.panes.length > 1 || active === undefined) return now
  const other: PaneId = id === 0 ? 1 : 0
  return { ...now, panes: [now.panes[0], { id: other, tabs: [active], active }], focused: other }
}

/** One pane again: the focused one, with the tabs of the other behind its own. */
export function join(now: Workspace): Workspace {
  const pane = focusedPane(now)
  const tabs = [...new Set([...pane.tabs, ...now.panes.flatMap((one) => one.tabs)])].slice(0, MOST_TABS)
  return now.panes.length === 1 ? now : { ...now, panes: [{ ...pane, tabs }] }
}

/** Goes to a pane. */
export function focusPane(now: Workspace, id: PaneId): Workspace {
  return now.focused === id || !now.panes.some((pane) => pane.id === id) ? now : { ...now, focused: id }
}

/** Moves the tab that is shown to the other pane, which is made if there is none. */
export function sendAcross(now: Workspace): Workspace {
  const { active, tabs } = focusedPane(now)
  if (active === undefined || (now.panes.length === 1 && tabs.length === 1)) return now
  const both = split(now)
  const other = both.panes.find(({ id }) => id !== now.focused)!
  const left = closeTab({ ...both, focused: now.focused }, active)
  return openTab({ ...left, focused: other.id, closed: now.closed }, { path: active, as: 'shown' })
}

type Drop = { path: string; from: PaneId; to: PaneId; before: string | undefined }

/** A tab was dragged: before another tab, or to the end, of its own pane or of the other. It is shown there. */
export function dropTab(now: Workspace, { path, from, to, before }: Drop): Workspace {
  if (path === before || !now.panes.some(({ id, tabs }) => id === from && tabs.includes(path))) return now
  const taken = from === to ? now : { ...closeTab({ ...now, focused: from }, path), closed: now.closed }
  const target = taken.panes.find(({ id }) => id === to)
  if (!target) return now
  const rest = target.tabs.filter((tab) => tab !== path)
  const at = before === undefined ? rest.length : rest.indexOf(before)
  return inFocused({ ...taken, focused: to }, { tabs: rest.toSpliced(at, 0, path), active: path })
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

/** A file or folder was deleted: its tabs go. */
export function withoutDeleted(now: Workspace, path: string): Workspace {
  return eachPane(now, ({ id, tabs, active }) => {
    const rest = tabs.filter((tab) => !isAtOrBelow(tab, path))
    const next = rest[Math.min(tabs.indexOf(active ?? ''), rest.length - 1)]
    return { id, tabs: rest, active: active !== undefined && isAtOrBelow(active, path) ? next : active }
  })
}

function inFocused(now: Workspace, change: Partial<Pane>): Workspace {
  return eachPane(now, (pane) => (pane.id === now.focused ? { ...pane, ...change } : pane))
}

/** Changes each pane; of two, one that is left without tabs goes away. */
function eachPane(now: Workspace, change: (pane: Pane) => Pane): Workspace {
  const changed = now.panes.map(change)
  const [first = changed[0]!, ...more] = changed.filter(({ tabs }) => tabs.length > 0)
  const panes: Workspace['panes'] = [first, ...more]
  return { ...now, panes, focused: panes.some(({ id }) => id === now.focused) ? now.focused : first.id }
}

const withClosed = ({ closed }: Workspace, path: string) =>
  [path, ...closed.filter((one) => one !== path)].slice(0, MOST_CLOSED)
