import type { ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import type { HeldKey } from './observed.ts'

type Known = Pick<ManagedDaemon, 'spec' | 'status'>

/**
 * The held keys that the relay accepts or can still learn of. A generation is accepted with one hash forever: a key
 * with that generation and another hash was created after the Secret was lost, or added by hand, and opens nothing.
 * Pure.
 */
export function usableKeys(daemon: Known, held: readonly HeldKey[]): HeldKey[] {
  return held.filter(({ generation, hash }) => (acceptedHash(daemon, generation) ?? hash) === hash)
}

/** The keys for the status: an accepted generation always has the hash with which it was accepted. Pure. */
export function reportedKeys(daemon: Known, held: readonly HeldKey[]): HeldKey[] {
  return held.map(({ generation, hash }) => ({ generation, hash: acceptedHash(daemon, generation) ?? hash }))
}

function acceptedHash({ spec, status }: Known, generation: number): string | undefined {
  if (generation > spec.relay.acceptedGeneration) return undefined
  return status.relay?.keys.find((key) => key.generation === generation)?.hash
}
