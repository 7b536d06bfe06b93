import { quantityBytes } from '@svc/shared/wire/quantity.ts'
import type { ManagedDaemonSpec } from '@svc/shared/wire/managed-daemon.ts'

/** The platform's settings of growth; without a maximum, volumes grow only by operations. */
export type GrowthSettings = { maxSize: string | undefined; abovePercent: number }

type Storage = ManagedDaemonSpec['storage']

/**
 * How a volume of this size should grow under the platform's settings; undefined: not at all. A volume that an
 * operation made larger than the maximum keeps its size. Pure.
 */
export function autoGrowFor(size: string, { maxSize, abovePercent }: GrowthSettings): Storage['autoGrow'] {
  if (maxSize === undefined) return undefined
  return { maxSize: largerOf(maxSize, size), abovePercent }
}

/** The patch that makes a volume grow under the settings; undefined when it already does. Pure. */
export function growthPatch({ size, autoGrow }: Storage, settings: GrowthSettings): Storage['autoGrow'] {
  // Automatic growth that is switched off ends at the size in the spec.
  const ended = autoGrow && { ...autoGrow, maxSize: size }
  const wanted = autoGrowFor(size, settings) ?? ended
  if (wanted === undefined) return undefined
  const isSame = wanted.maxSize === autoGrow?.maxSize && wanted.abovePercent === autoGrow.abovePercent
  return isSame ? undefined : wanted
}

const largerOf = (left: string, right: string) => (quantityBytes(left) >= quantityBytes(right) ? left : right)
