import { mebibytes, quantityBytes } from '@svc/shared/wire/quantity.ts'
import type { InventoryItem } from '../admin-answers.ts'

type Storage = Pick<NonNullable<InventoryItem['daemon']>['storage'], 'size' | 'capacityBytes' | 'refusedBytes'>

/** The problem with a new size of a volume, which can only grow; undefined if there is none. */
export function growProblem(size: string, storage: Storage | undefined): string | undefined {
  if (!/^[1-9][0-9]{0,14}(Ki|Mi|Gi|Ti)$/.test(size)) return 'must be a whole number of Mi, Gi or Ti, such as 20Gi'
  if (storage === undefined) return undefined
  const present = presentSize(storage)
  return quantityBytes(size) > present.bytes
    ? undefined
    : `must be more than the present ${present.words}: a volume never shrinks`
}

/** The size that a volume has, or will have; in bytes and in words. A size that the storage refused is not counted. */
export function presentSize({ size, capacityBytes, refusedBytes }: Storage): { bytes: number; words: string } {
  const asked = { bytes: quantityBytes(size), words: size }
  if (capacityBytes === undefined) return asked
  const now = { bytes: capacityBytes, words: wordsOf(capacityBytes) }
  return refusedBytes !== undefined || capacityBytes > asked.bytes ? now : asked
}

const GIBIBYTE = 2 ** 30
const wordsOf = (bytes: number) => (bytes % GIBIBYTE === 0 ? `${bytes / GIBIBYTE}Gi` : mebibytes(bytes))
