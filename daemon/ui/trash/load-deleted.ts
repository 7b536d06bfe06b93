import type { DaemonClient, TrashEntry } from '../api/daemon-client.ts'

// As many as the daemon lists at once.
const MOST_AT_ONCE = 1_000

/** That many of what was deleted last, and whether there is more. */
export async function loadDeleted(
  { listTrash }: Pick<DaemonClient, 'listTrash'>,
  vaultId: string,
  { count, signal }: { count: number; signal: AbortSignal },
): Promise<{ entries: TrashEntry[]; hasMore: boolean }> {
  const entries: TrashEntry[] = []
  let cursor: string | undefined
  do {
    const limit = Math.min(count - entries.length, MOST_AT_ONCE)
    const page = await listTrash(vaultId, { limit, cursor }, signal)
    entries.push(...page.entries)
    cursor = page.nextCursor
  } while (cursor !== undefined && entries.length < count)
  return { entries, hasMore: cursor !== undefined }
}
