const FIRST_RETRY_MS = 250
// The delay when nothing is unsent. A host announces its sleep within this time, so an open page does not wake it.
const IDLE_RETRY_MS = 5000
const MAX_RETRY_MS = 15_000
// Close codes (400, 403, 404, 413) that a retry would get again.
const FINAL = new Set([4400, 4403, 4404, 4413])

/** Whether a connection that closed with this code must not be opened again. Pure. */
export const isFinalClose = (code: number): boolean => FINAL.has(code)

// Reasons for which the host cannot store text until somebody acts there.
const STORAGE = new Set(['storage_full', 'storage_read_only', 'storage_failed', 'too_many_open_files', 'disk_away'])

/** Whether a connection closed with this reason because the host cannot store text. Pure. */
export const isStorageFailure = (reason: string): boolean => STORAGE.has(reason)

/** Milliseconds until the next attempt; `chance` in [0, 1) spreads the clients of a host that failed. Pure. */
export function reconnectDelay({
  attempts,
  hasUnsent,
  chance,
}: {
  attempts: number
  hasUnsent: boolean
  chance: number
}): number {
  const delay = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** (attempts - 1)) * (0.5 + chance / 2)
  return hasUnsent ? delay : Math.max(IDLE_RETRY_MS, delay)
}
