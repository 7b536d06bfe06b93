import { fail } from '@svc/shared/wire/errors.ts'
import { identityKey } from '../files/vault-path.ts'
import type { Vault } from './vault.ts'

// Another program may write between the check and the change. The next attempt decides again, on the file as it is
// then.
const MAX_ATTEMPTS = 5

/**
 * Runs a change of one path in its queue, after saving live text of the note. Retries when the change reports that
 * another program wrote the file first.
 */
export function attemptAt<T>(vault: Vault, path: string, attempt: () => Promise<T | undefined>): Promise<T> {
  return vault.queue.run(identityKey(path), async () => {
    await vault.live.save(path)
    return attemptInQueue(path, attempt)
  })
}

/** Like `attemptAt`, but inside the queue of the path and without saving live text. */
export async function attemptInQueue<T>(path: string, attempt: () => Promise<T | undefined>): Promise<T> {
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
    const result = await attempt()
    if (result !== undefined) return result
  }
  // The path is taken by something else: a folder, a link or a device.
  throw fail('path_conflict', { existing: path })
}
