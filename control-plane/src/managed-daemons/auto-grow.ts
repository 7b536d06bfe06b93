import { quantityBytes } from '@svc/shared/wire/quantity.ts'
import type { ManagedDaemonSpec } from '@svc/shared/wire/managed-daemon.ts'

/** The platform's settings of growth; without a maximum, volumes grow by operations alone. */
export type GrowthSettings = { maxSize: string | undefined; abovePercent: number }

type Storage = ManagedDaemonSpec['storage']

/**
 * How the platform's settings want a volume of this size to grow; undefined: not at all. A volume that an operation made
 * larger than the maximum keeps its size. Pure.
 */
export function autoGrowFor(size: string, { maxSize, abovePercent }: GrowthSettings): Storage['autoGrow'] {
  if (maxSize === undefined) return undefined
  return { maxSize: largerOf(maxSize, size), abovePercent }
}

/** What to patch so that a volume grows as the settings want; undefined when it does. Pure. */
export function growthPatch({ size, autoGrow }: Storage, settings: GrowthSettings): Storage['autoGrow'] {
  // Growth that nobody wants any more ends at the size that the spec asks for.
  const ended = autoGrow && { ...autoGrow, maxSize: size }
  const wanted = autoGrowFor(size, settings) ?? ended
  if (wanted === undefined) return undefined
  const isSame = wanted.maxSize === autoGrow?.maxSize && wanted.abovePercent === autoGrow.abovePercent
  return isSame ? undefined : wanted
}

const largerOf = (left: string, right: string) => (quantityBytes(left) >= quantityBytes(right) ? left : right)
