import type { Observed } from './observed.ts'
import type { Step } from './step.ts'
import { usableKeys } from './usable-keys.ts'

/**
 * What to do about the relay keys. The order is what makes it safe: add the next key, report its hash, wait until the
 * control plane has stored it, make it current, wait until the tunnel shows it, retire the old one.
 */
export function planKeys({ daemon, children: { keys, machine, workload } }: Observed): Step[] {
  const { keyGeneration, acceptedGeneration } = daemon.spec.relay
  const { held, current } = keys
  const usable = usableKeys(daemon, held)
  const newest = usable.at(-1)?.generation
  const next = usable.find(({ generation }) => current === undefined || generation > current)
  const old = current === undefined ? undefined : held.find(({ generation }) => generation < current)

  const known = daemon.status.relay?.keys ?? []
  const reported = known.some((key) => key.generation === next?.generation && key.hash === next.hash)
  if (next && reported && next.generation <= acceptedGeneration)
    return [{ kind: 'make_key_current', generation: next.generation, reason: 'KeyAccepted' }]

  // Nobody can use the old key while nothing runs; a running daemon must connect with the new one first.
  const tunnel = machine?.daemon?.relay
  const nothingRuns = machine === undefined && !workload?.running
  const shown = nothingRuns || (tunnel?.connected === true && tunnel.keyGeneration === current)
  // If the accepted key is gone, make another one without being asked: the Secret was lost, or an older one restored.
  // No tunnel will show the current key then, so the old one goes first: at most two keys are held.
  const isGone = newest === undefined || newest < acceptedGeneration
  if (old && current !== undefined && (shown || isGone))
    return [{ kind: 'retire_keys', current, reason: 'KeySuperseded' }]

  const wanted = isGone ? Math.max(keyGeneration, acceptedGeneration + 1) : keyGeneration
  // Nothing can dial with the key before it is accepted, so the runtime may store and mount it in one write.
  const isFirst = held.length === 0 && nothingRuns
  if (wanted > (newest ?? -1) && !old)
    return [{ kind: isFirst ? 'add_first_key' : 'add_key', generation: wanted, reason: 'KeyMissing' }]
  if (next) return [{ kind: 'wait', reason: 'KeyNotAccepted' }]
  return old ? [{ kind: 'wait', reason: 'TunnelOnOldKey' }] : []
}

/**
 * True while no further key is made because the tunnel does not show the current one. A daemon that cannot connect may
 * never show it: a roll, which asks for another key, goes ahead with the current one, and the new machine shows it.
 */
export const waitsForTunnel = (observed: Observed): boolean =>
  planKeys(observed).some(({ reason }) => reason === 'TunnelOnOldKey')
