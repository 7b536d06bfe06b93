import { changeLimits } from '@svc/shared/wire/mcp/agent-resources.api.ts'
import type { ChangeStream } from '../events/change-stream.ts'

type Wait = { since: string | undefined; waitMs: number; signal: AbortSignal }

/** The files of a vault that changed since a position in its stream; waits for a limited time if there are none. */
export async function waitForChanges(changes: ChangeStream, { since, waitMs, signal }: Wait) {
  if (since === undefined) return { at: changes.lastId(), paths: [], isComplete: true }
  if (waitMs > 0 && since === changes.lastId()) await nextChange(changes, { waitMs, signal })
  const at = changes.lastId()
  const missed = changes.since(since)
  const paths = new Set<string>()
  for (const { change } of missed ?? []) if (change.what !== 'folder') paths.add(change.path)
  const isComplete = missed !== undefined && paths.size <= changeLimits.paths
  return { at, paths: isComplete ? [...paths] : [], isComplete }
}

function nextChange(changes: ChangeStream, { waitMs, signal }: Omit<Wait, 'since'>): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', over)
      stop()
      resolve()
    }
    const timer = setTimeout(over, waitMs)
    const stop = changes.subscribe(over, over)
    signal.addEventListener('abort', over, { once: true })
    if (signal.aborted) over()
  })
}
