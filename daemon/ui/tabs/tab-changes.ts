import { focusedPane, inFocused, MOST_TABS, openTab, withClosed, type PaneId, type Workspace } from './workspace.ts'

/** Closes a tab of the focused pane and shows its neighbour. A pane without tabs closes if there is another pane. */
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

/** Shows the next tab (1) or the previous one (-1), in a circle. */
export function stepTab(now: Workspace, by: 1 | -1): Workspace {
  const { tabs, active } = focusedPane(now)
  if (tabs.length === 0) return now
  const at = active === undefined ? (by === 1 ? -1 : 0) : tabs.indexOf(active)
  return inFocused(now, { active: tabs[(at + by + tabs.length) % tabs.length] })
}

/** Moves the active tab one place. */
export function shiftTab(now: Workspace, by: 1 | -1): Workspace {
  const { tabs, active } = focusedPane(now)
  const to = active === undefined ? -1 : tabs.indexOf(active) + by
  if (active === undefined || to < 0 || to >= tabs.length) return now
  return inFocused(now, { tabs: tabs.filter((tab) => tab !== active).toSpliced(to, 0, active) })
}

/** Two panes side by side, both with the active file; the new one gets the focus. */
export function split(now: Workspace): Workspace {
  const { id, active } = focusedPane(now)
  if (now.panes.length > 1 || active === undefined) return now
  const other: PaneId = id === 0 ? 1 : 0
  return { ...now, panes: [now.panes[0], { id: other, tabs: [active], active }], focused: other }
}

/** Returns to one pane: the focused one, followed by the tabs of the other. */
export function join(now: Workspace): Workspace {
  const pane = focusedPane(now)
  const tabs = [...new Set([...pane.tabs, ...now.panes.flatMap((one) => one.tabs)])].slice(0, MOST_TABS)
  return now.panes.length === 1 ? now : { ...now, panes: [{ ...pane, tabs }] }
}

/** Moves the active tab to the other pane, which is created if there is none. */
export function sendAcross(now: Workspace): Workspace {
  const { active, tabs } = focusedPane(now)
  if (active === undefined || (now.panes.length === 1 && tabs.length === 1)) return now
  const both = split(now)
  const other = both.panes.find(({ id }) => id !== now.focused)!
  const left = closeTab({ ...both, focused: now.focused }, active)
  return openTab({ ...left, focused: other.id, closed: now.closed }, { path: active, as: 'shown' })
}

type Drop = { path: string; from: PaneId; to: PaneId; before: string | undefined }

/**
 * Handles a dragged tab: moves it before another tab, or to the end, of its own pane or of the other, and shows it
 * there.
 */
export function dropTab(now: Workspace, { path, from, to, before }: Drop): Workspace {
  if (path === before || !now.panes.some(({ id, tabs }) => id === from && tabs.includes(path))) return now
  const taken = from === to ? now : { ...closeTab({ ...now, focused: from }, path), closed: now.closed }
  const target = taken.panes.find(({ id }) => id === to)
  if (!target) return now
  const rest = target.tabs.filter((tab) => tab !== path)
  const at = before === undefined ? rest.length : rest.indexOf(before)
  return inFocused({ ...taken, focused: to }, { tabs: rest.toSpliced(at, 0, path), active: path })
}
