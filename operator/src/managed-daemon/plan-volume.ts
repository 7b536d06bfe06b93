import type { ManagedDaemonSpec, ManagedDaemonStatus } from '@svc/shared/wire/managed-daemon.ts'
import { quantityBytes } from '@svc/shared/wire/quantity.ts'
import type { Step } from './step.ts'
import type { Children, Machine, Observed } from './observed.ts'

type Volume = NonNullable<Children['volume']>

const GROWTH = 1.5
const MEBIBYTE = 2 ** 20

/**
 * True when the volume that the daemon has served from is gone, or being deleted and gone with the pod. An empty one in
 * its place would go into service with the next relay key, and nobody would notice the loss. A new resource has not
 * served: it adopts a volume or gets an empty one. A resource that is deleted may lose its volume.
 */
export function isVolumeLost({ daemon, children: { volume } }: Observed): boolean {
  if (daemon.deletedAt !== undefined || daemon.status.image === undefined) return false
  return volume === undefined || volume.going === true
}

/**
 * The status of a daemon whose volume is lost. Its operation has failed: nothing is done for it. The image of a failed
 * roll is not tried when the volume comes back.
 */
export function markLostVolume(status: ManagedDaemonStatus, { operation, image }: ManagedDaemonSpec) {
  if (operation === undefined) return status
  if (status.operation?.id === operation.id && status.operation.outcome !== 'executing') return status
  const reason = 'VolumeLost'
  const next: ManagedDaemonStatus = { ...status, operation: { id: operation.id, outcome: 'failed', reason } }
  const lastGoodImage = status.lastGoodImage ?? status.image
  if (image === lastGoodImage) return next
  return { ...next, lastGoodImage, failedRoll: { image, operationId: operation.id, reason } }
}

/** What to do about the volume. Needs no running daemon: the volume of a full or sleeping daemon grows, too. */
export function planVolume(observed: Observed): Step[] {
  const { spec } = observed.daemon
  const { volume, machine } = observed.children
  const sizeBytes = wantedBytes(observed)
  if (volume === undefined) return [{ kind: 'ensure_volume', sizeBytes, reason: 'VolumeMissing' }]

  const steps: Step[] = []
  if (volume.owned !== (spec.deletionPolicy === 'delete'))
    steps.push({ kind: 'ensure_volume', sizeBytes, reason: 'VolumeOwnership' })
  if (volume.requestedBytes < sizeBytes && sizeBytes < refusedBytes(observed))
    steps.push({ kind: 'grow_volume', sizeBytes, reason: 'VolumeTooSmall' })
  // The file system of an unused volume grows at its next use.
  else if (volume.capacityBytes > 0 && volume.capacityBytes < volume.requestedBytes && machine !== undefined)
    steps.push({ kind: 'wait', reason: 'VolumeNotGrown' })
  return steps
}

/**
 * An automatic growth that was refused, to be tried again at a quiet pass: a quota may have been raised. A size that
 * somebody asked for and that is not due waits for another operation, like a bad image.
 */
export function planGrowthAgain(observed: Observed): Step[] {
  const sizeBytes = dueBytes(observed)
  if (sizeBytes === undefined || sizeBytes < refusedBytes(observed)) return []
  return [{ kind: 'grow_volume', sizeBytes, reason: 'VolumeTooSmall' }]
}

/** True while a growth is refused that is still wanted, and no later operation has asked for growth. */
export function isGrowthRefused(observed: Observed): boolean {
  const { spec, status } = observed.daemon
  const { failedGrowth } = status
  const { volume } = observed.children
  if (failedGrowth === undefined || volume === undefined) return false
  if (volume.requestedBytes >= failedGrowth.sizeBytes) return false
  const isAsked = quantityBytes(spec.storage.size) > volume.requestedBytes
  if (!isAsked && dueBytes(observed) === undefined) return false
  return spec.operation?.action !== 'storage_grow' || spec.operation.id === failedGrowth.operationId
}

const refusedBytes = (observed: Observed): number =>
  isGrowthRefused(observed) ? (observed.daemon.status.failedGrowth?.sizeBytes ?? Infinity) : Infinity

/** Whether the volume may still grow and is more than half-way to the threshold of growth. */
export function isFilling(observed: Observed): boolean {
  const { volume, machine } = observed.children
  const { autoGrow, size } = observed.daemon.spec.storage
  const used = usedBytes(volume, machine)
  if (autoGrow === undefined || volume === undefined || used === undefined) return false
  const room = Math.max(quantityBytes(autoGrow.maxSize), quantityBytes(size))
  if (nextBytes(volume, room) >= refusedBytes(observed)) return false
  return volume.capacityBytes < room && used * 200 > volume.capacityBytes * autoGrow.abovePercent
}

/**
 * The size that somebody asked for goes first: it may fit where an automatic growth does not. While it is refused,
 * automatic growth goes on from the size that the volume has.
 */
function wantedBytes(observed: Observed): number {
  const { volume } = observed.children
  const asked = quantityBytes(observed.daemon.spec.storage.size)
  if (volume === undefined || (asked > volume.requestedBytes && asked < refusedBytes(observed))) return asked
  return dueBytes(observed) ?? volume.requestedBytes
}

/** The size of the automatic growth that is due, if any; whether it was refused does not matter here. */
function dueBytes({ daemon: { spec, status }, children: { volume, machine } }: Observed): number | undefined {
  const { autoGrow } = spec.storage
  // For a daemon that sleeps or cannot start because the volume is full, use the last known figure.
  const used = usedBytes(volume, machine) ?? status.storage?.usedBytes
  if (autoGrow === undefined || volume === undefined || used === undefined) return undefined
  if (volume.capacityBytes < volume.requestedBytes) return undefined // one growth at a time

  const room = quantityBytes(autoGrow.maxSize)
  if (used * 100 <= volume.capacityBytes * autoGrow.abovePercent || volume.requestedBytes >= room) return undefined
  return nextBytes(volume, room)
}

const nextBytes = ({ capacityBytes }: Volume, room: number): number =>
  Math.min(room, Math.ceil((capacityBytes * GROWTH) / MEBIBYTE) * MEBIBYTE)

// The file system's own reserve is neither used by files nor free: a volume is full when it has no free bytes.
function usedBytes(volume: Volume | undefined, machine: Machine | undefined): number | undefined {
  const told = machine?.daemon?.storage
  if (told === undefined || volume === undefined) return undefined
  return Math.max(told.usedBytes, volume.capacityBytes - told.freeBytes)
}
