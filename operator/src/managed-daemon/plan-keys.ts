import type { Observed } from './observe.ts'
import type { Step } from './step.ts'

/**
 * What to do about the relay keys. The order is the security: add the next key, report its hash, wait until the control
 * plane has stored it, make it current, wait until the tunnel shows it, retire the old one.
 */
export function planKeys({ daemon: { spec, status }, children: { keys, machine, workload } }: Observed): Step[] {
  const { keyGeneration, acceptedGeneration } = spec.relay
  const { held, current } = keys
  const newest = held.at(-1)?.generation ?? -1
  const next = held.find(({ generation }) => current === undefined || generation > current)
  const old = current === undefined ? undefined : held.find(({ generation }) => generation < current)

  const reported = status.relay?.keys.some((key) => key.generation === next?.generation && key.hash === next.hash)
  if (next && reported && next.generation <= acceptedGeneration)
    return [{ kind: 'make_key_current', generation: next.generation, reason: 'KeyAccepted' }]

  // Nobody can use the old key while nothing runs; a running daemon has to be seen with the new one first.
  const tunnel = machine?.daemon?.relay
  const nothingRuns = machine === undefined && !workload?.running
  const shown = nothingRuns || (tunnel?.connected === true && tunnel.keyGeneration === current)
  if (old && current !== undefined && shown) return [{ kind: 'retire_keys', current, reason: 'KeySuperseded' }]

  if (keyGeneration > newest && !old) return [{ kind: 'add_key', generation: keyGeneration, reason: 'KeyMissing' }]
  if (next) return [{ kind: 'wait', reason: 'KeyNotAccepted' }]
  return old ? [{ kind: 'wait', reason: 'TunnelOnOldKey' }] : []
}
