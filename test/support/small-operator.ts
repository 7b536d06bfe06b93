import { createHash } from 'node:crypto'
import { systemClock } from '@svc/shared/kit/clock.ts'
import type { ManagedDaemon, ManagedDaemonStatus } from '@svc/shared/wire/managed-daemon.ts'
import { StoreConflict, type ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'

const LOOK_EVERY_MS = 30

/** Hash of the key that this operator would have made for a generation. */
export const keyHash = (orgId: string, generation: number): string =>
  createHash('sha256').update(`${orgId}/${generation}`).digest('hex')

/**
 * A minimal operator for tests of the control plane alone: it reports a key, waits until the key is accepted, then
 * reports `running`. It releases a removed resource. The real operator is tested with its own runtimes.
 */
export function startSmallOperator(store: ManagedDaemonStore): () => Promise<void> {
  let stopped = false
  const run = async () => {
    while (!stopped) {
      for (const daemon of await store.list()) await look(store, daemon).catch(ignoreConflict)
      await systemClock.sleep(LOOK_EVERY_MS)
    }
  }
  const ended = run()
  return async () => {
    stopped = true
    await ended
  }
}

async function look(store: ManagedDaemonStore, daemon: ManagedDaemon): Promise<void> {
  if (daemon.deletedAt !== undefined) return store.release(daemon.name, daemon.resourceVersion)
  const { keyGeneration, acceptedGeneration } = daemon.spec.relay
  const accepted = acceptedGeneration >= keyGeneration
  const wanted: ManagedDaemonStatus = {
    observedGeneration: daemon.generation,
    observedState: accepted ? (daemon.spec.desiredState === 'sleeping' ? 'sleeping' : 'running') : 'provisioning',
    conditions: [],
    image: daemon.spec.image,
    relay: { keys: [{ generation: keyGeneration, hash: keyHash(daemon.spec.orgId, keyGeneration) }] },
  }
  if (JSON.stringify(wanted) === JSON.stringify(daemon.status)) return
  await store.putStatus(daemon.name, daemon.resourceVersion, wanted)
}

function ignoreConflict(error: unknown): void {
  if (!(error instanceof StoreConflict)) throw error
}
