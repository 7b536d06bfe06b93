import { loadOnce } from '@svc/shared/kit/load-once.ts'
import type { Tool } from './tool.ts'
import type { ToolDeps } from './tool-table.ts'

/** Loads the tools for the first agent: their schemas take 8 ms, which would delay the first request after a start. */
export function loadTools(deps: ToolDeps): () => Promise<readonly Tool[]> {
  return loadOnce(async () => (await import('./tool-table.ts')).toolTable(deps))
}
