import type { ManagedDaemonStatus } from '@svc/shared/wire/managed-daemon.ts'
import type { Observed } from './observe.ts'
import { tunnelOf } from './tunnel.ts'

const MEBIBYTE = 2 ** 20
const SHARES = 100

/** The status with what was seen of the daemon; what cannot be seen now stays as it was last seen. */
export function withFacts(status: ManagedDaemonStatus, observed: Observed): ManagedDaemonStatus {
  const { daemon, children } = observed
  const { machine, volume, workload, keys } = children
  const serves = machine?.state === 'ready'
  const next: ManagedDaemonStatus = { ...status, observedGeneration: daemon.generation }

  if (serves) next.image = machine.image
  if (serves && tunnelOf(observed).connected) next.lastGoodImage = machine.image
  if (machine?.daemon?.ready) next.version = machine.daemon.version

  const provider = { app: workload?.name, machine: machine?.id, volume: volume?.name }
  const seen = Object.fromEntries(Object.entries(provider).filter(([, name]) => name !== undefined))
  if (Object.keys(seen).length > 0) next.provider = { ...status.provider, ...seen }

  if (keys.held.length > 0) next.relay = { keys: keys.held.map(({ generation, hash }) => ({ generation, hash })) }
  if (volume) next.storage = storageFacts(status, observed)
  return next
}

function storageFacts({ storage }: ManagedDaemonStatus, { children: { volume, machine } }: Observed) {
  const capacityBytes = volume?.capacityBytes ?? 0
  const used = machine?.daemon?.storage.usedBytes
  return { capacityBytes, usedBytes: used === undefined ? (storage?.usedBytes ?? 0) : rounded(used, capacityBytes) }
}

// Coarse on purpose: a daemon that somebody writes to must not be a stream of status writes.
function rounded(bytes: number, capacity: number): number {
  const share = Math.max(MEBIBYTE, Math.floor(capacity / SHARES / MEBIBYTE) * MEBIBYTE)
  return Math.ceil(bytes / share) * share
}
