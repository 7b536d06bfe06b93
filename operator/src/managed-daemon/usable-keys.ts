import type { ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import type { HeldKey } from './observed.ts'

type Known = Pick<ManagedDaemon, 'spec' | 'status'>

/**
 * The held keys that the relay takes or may yet be told of. A generation is accepted with one hash for ever: a key that
 * has it and another hash came after the Secret was lost, or was put there by hand, and opens nothing. Pure.
 */
export function usableKeys(daemon: Known, held: readonly HeldKey[]): HeldKey[] {
  return held.filter(({ generation, hash }) => (acceptedHash(daemon, generation) ?? hash) === hash)
}

/** What the status says of the held keys: of an accepted generation always the hash that it was accepted with. Pure. */
export function reportedKeys(daemon: Known, held: readonly HeldKey[]): HeldKey[] {
  return held.map(({ generation, hash }) => ({ generation, hash: acceptedHash(daemon, generation) ?? hash }))
}

function acceptedHash({ spec, status }: Known, generation: number): string | undefined {
  if (generation > spec.relay.acceptedGeneration) return undefined
  return status.relay?.keys.find((key) => key.generation === generation)?.hash
}
