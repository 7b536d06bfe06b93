import type { Tool } from './tool.ts'
import type { ToolDeps } from './tool-table.ts'

/** Loads the tools for the first agent: their schemas take 8 ms, which would delay the first request after a start. */
export function loadTools(deps: ToolDeps): () => Promise<readonly Tool[]> {
  let loading: Promise<readonly Tool[]> | undefined
  return () => (loading ??= import('./tool-table.ts').then(({ toolTable }) => toolTable(deps)))
}
