import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { Vault } from '../vaults/vault.ts'

type Opened = Pick<Vault, 'id' | 'listed' | 'isIndexed'> & { manifest: Pick<Vault['manifest'], 'count'> }

type Options = { vaults: readonly Opened[]; clock: Clock; log: Log; signal: AbortSignal }

const LOOK_MS = 250
const TOLD_EVERY_MS = 5000

/**
 * Logs the content of the vaults at a start. For a vault that takes long to read, it logs the progress every few
 * seconds, and once when all its notes can be found. Resolves after that, or when the signal aborts.
 */
export async function tellReading({ vaults, clock, log, signal }: Options): Promise<void> {
  const since = clock.monotonic()
  const seconds = () => Math.round((clock.monotonic() - since) / 1000)
  const facts = ({ id, manifest }: Opened) => ({ vault: id, files: manifest.count() })
  const tellOpen = async (vault: Opened) => {
    await vault.listed
    log.info(facts(vault), 'vault open')
  }
  // The listing itself logs a vault that cannot be listed.
  await Promise.allSettled(vaults.map(tellOpen))

  const unread = new Set(vaults)
  const long = new Set<Opened>()
  let toldAt = since
  for (;;) {
    for (const vault of unread)
      if (vault.isIndexed()) {
        unread.delete(vault)
        if (long.has(vault)) log.info({ ...facts(vault), seconds: seconds() }, 'every note is read')
      }
    if (unread.size === 0) return
    if (clock.monotonic() - toldAt >= TOLD_EVERY_MS) {
      toldAt = clock.monotonic()
      for (const vault of unread) {
        long.add(vault)
        log.info({ ...facts(vault), seconds: seconds() }, 'still reading notes; not all of them can be found yet')
      }
    }
    try {
      await clock.sleep(LOOK_MS, signal)
    } catch {
      return
    }
  }
}
