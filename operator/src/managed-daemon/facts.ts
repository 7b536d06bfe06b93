import type { ManagedDaemonStatus } from '@svc/shared/wire/managed-daemon.ts'
import { childNames } from './names.ts'
import type { Observed } from './observed.ts'
import { isLate, type PlanLimits } from './plan-limits.ts'
import { tunnelOf } from './tunnel.ts'
import { reportedKeys } from './usable-keys.ts'

const MEBIBYTE = 2 ** 20
const SHARES = 100

/** The status with what was observed of the daemon; what cannot be observed now keeps its last value. */
export function withFacts(status: ManagedDaemonStatus, observed: Observed, limits: PlanLimits): ManagedDaemonStatus {
  const { daemon, children, now } = observed
  const { machine, volume, keys } = children
  // Use only what the daemon reports now: earlier reports may come from the image that ran before.
  const tunnel = tunnelOf(observed)
  // A first start is reported once: nothing is written between ready and connected, unless that takes too long.
  const isComing = status.image === undefined && !tunnel.connected && !isLate(observed, limits)
  const serves = machine?.state === 'ready' && !isComing
  const next: ManagedDaemonStatus = { ...status, observedGeneration: daemon.generation }

  if (serves) next.image = machine.image
  // A first image that no roll requested counts as good at once: there is no earlier image to go back to.
  const isTried = status.lastGoodImage !== undefined || daemon.spec.operation?.action === 'image_roll'
  const soaked = (since: Date) => now.getTime() - since.getTime() >= limits.soakMs
  const proven = machine?.readySince !== undefined && (!isTried || soaked(machine.readySince))
  const answers = tunnel.known && tunnel.connected
  if (serves && proven && machine.problem === undefined && answers) next.lastGoodImage = machine.image
  if (serves && machine.daemon?.ready) next.version = machine.daemon.version

  const { workload: app, machine: id, volume: home } = childNames(daemon.name)
  next.provider = { app, machine: id, volume: volume?.name ?? home }

  if (keys.held.length > 0) next.relay = { keys: reportedKeys(daemon, keys.held) }
  // The size of a volume changes while it is being attached; an unused volume keeps its last known size.
  const inPlace = serves || (machine === undefined && daemon.spec.desiredState === 'sleeping')
  if (volume && volume.capacityBytes > 0 && inPlace) next.storage = storageFacts(status, observed)
  return next
}

function storageFacts({ storage }: ManagedDaemonStatus, { children: { volume, machine } }: Observed) {
  const capacityBytes = volume?.capacityBytes ?? 0
  const used = machine?.daemon?.storage.usedBytes
  return { capacityBytes, usedBytes: used === undefined ? (storage?.usedBytes ?? 0) : rounded(used, capacityBytes) }
}

// Coarse on purpose: writing to a daemon must not cause a stream of status writes.
function rounded(bytes: number, capacity: number): number {
  const share = Math.max(MEBIBYTE, Math.floor(capacity / SHARES / MEBIBYTE) * MEBIBYTE)
  return Math.ceil(bytes / share) * share
}
