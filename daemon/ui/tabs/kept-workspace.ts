import { emptyWorkspace, type Pane, type PaneId, type Workspace } from './workspace.ts'

/** The open files as the browser stored them; anything damaged counts as nothing open. */
export function keptWorkspace(kept: unknown): Workspace {
  const { panes, focused, closed } = (kept ?? {}) as Record<string, unknown>
  const [first, ...more] = (Array.isArray(panes) ? panes : []).flatMap(keptPane).slice(0, 2)
  if (!first || first.id === more[0]?.id) return emptyWorkspace
  const all: Workspace['panes'] = [first, ...more]
  const here = all.find(({ id }) => id === focused) ?? first
  return { panes: all, focused: here.id, closed: paths(closed) }
}

function keptPane(kept: unknown, nth: number): Pane[] {
  const { id, tabs, active } = (kept ?? {}) as Record<string, unknown>
  const known = [...new Set(paths(tabs))]
  if (known.length === 0) return []
  return [
    { id: id === 0 || id === 1 ? id : (nth as PaneId), tabs: known, active: known.find((path) => path === active) },
  ]
}

const paths = (kept: unknown): string[] =>
  Array.isArray(kept) ? kept.filter((path): path is string => typeof path === 'string' && path !== '').slice(0, 50) : []
