import { quantityBytes } from '@svc/shared/wire/quantity.ts'
import type { Step } from './step.ts'
import type { Children, Machine, Observed } from './observed.ts'

type Volume = NonNullable<Children['volume']>

const GROWTH = 1.5
const MEBIBYTE = 2 ** 20

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
 * A refused growth that no operation asked for, to be tried again at a quiet pass: a quota may have been raised. A size
 * that somebody asked for waits for another operation, like a bad image.
 */
export function planGrowthAgain(observed: Observed): Step[] {
  const sizeBytes = wantedBytes(observed)
  const isAsked = sizeBytes === quantityBytes(observed.daemon.spec.storage.size)
  if (isAsked || sizeBytes < refusedBytes(observed)) return []
  return [{ kind: 'grow_volume', sizeBytes, reason: 'VolumeTooSmall' }]
}

/** True while a growth is refused that the volume still lacks, and no later operation has asked for growth. */
export function isGrowthRefused({ daemon: { spec, status }, children: { volume } }: Observed): boolean {
  const { failedGrowth } = status
  if (failedGrowth === undefined || volume === undefined) return false
  if (volume.requestedBytes >= failedGrowth.sizeBytes) return false
  return spec.operation?.action !== 'storage_grow' || spec.operation.id === failedGrowth.operationId
}

const refusedBytes = (observed: Observed): number =>
  isGrowthRefused(observed) ? (observed.daemon.status.failedGrowth?.sizeBytes ?? Infinity) : Infinity

/** Whether the volume may still grow and is more than half-way to the threshold of growth. */
export function isFilling(observed: Observed): boolean {
  const { volume, machine } = observed.children
  const { autoGrow, size } = observed.daemon.spec.storage
  const used = usedBytes(volume, machine)
  if (autoGrow === undefined || volume === undefined || used === undefined || isGrowthRefused(observed)) return false
  const room = Math.max(quantityBytes(autoGrow.maxSize), quantityBytes(size))
  return volume.capacityBytes < room && used * 200 > volume.capacityBytes * autoGrow.abovePercent
}

function wantedBytes({ daemon: { spec, status }, children: { volume, machine } }: Observed): number {
  const size = Math.max(quantityBytes(spec.storage.size), volume?.requestedBytes ?? 0)
  const { autoGrow } = spec.storage
  // For a daemon that sleeps or cannot start because the volume is full, use the last known figure.
  const used = usedBytes(volume, machine) ?? status.storage?.usedBytes
  if (autoGrow === undefined || volume === undefined || used === undefined) return size
  if (volume.capacityBytes < volume.requestedBytes) return size // one growth at a time

  const room = quantityBytes(autoGrow.maxSize)
  if (used * 100 <= volume.capacityBytes * autoGrow.abovePercent || size >= room) return size
  return Math.min(room, Math.ceil((volume.capacityBytes * GROWTH) / MEBIBYTE) * MEBIBYTE)
}

// The file system's own reserve is neither used by files nor free: a volume is full when it has no free bytes.
function usedBytes(volume: Volume | undefined, machine: Machine | undefined): number | undefined {
  const told = machine?.daemon?.storage
  if (told === undefined || volume === undefined) return undefined
  return Math.max(told.usedBytes, volume.capacityBytes - told.freeBytes)
}
