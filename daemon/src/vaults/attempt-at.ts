import { fail } from '@svc/shared/wire/errors.ts'
import { identityKey } from '../files/vault-path.ts'
import type { Vault } from './vault.ts'

// An outside writer may come between looking and changing; the next attempt decides again on what is there.
const MAX_ATTEMPTS = 5

/**
 * Runs a change of one path in its queue, after live text of the note was saved. Retries when the change reports that
 * another program wrote the file first.
 */
export function attemptAt<T>(vault: Vault, path: string, attempt: () => Promise<T | undefined>): Promise<T> {
  return vault.queue.run(identityKey(path), async () => {
    await vault.live.save(path)
    return attemptInQueue(path, attempt)
  })
}

/** As `attemptAt`, inside the queue of the path and without saving live text. */
export async function attemptInQueue<T>(path: string, attempt: () => Promise<T | undefined>): Promise<T> {
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
    const result = await attempt()
    if (result !== undefined) return result
  }
  // Something else is at the path: a folder, a link or a device.
  throw fail('path_conflict', { existing: path })
}
