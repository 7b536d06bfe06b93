import { quantityBytes } from '@svc/shared/wire/quantity.ts'

type Storage = { size: string; capacityBytes?: number | undefined }

/** The problem with a new size of a volume, which can only grow; undefined if there is none. */
export function growProblem(size: string, storage: Storage | undefined): string | undefined {
  if (!/^[1-9][0-9]{0,14}(Ki|Mi|Gi|Ti)$/.test(size)) return 'must be a whole number of Mi, Gi or Ti, such as 20Gi'
  if (storage === undefined) return undefined
  const now = Math.max(quantityBytes(storage.size), storage.capacityBytes ?? 0)
  return quantityBytes(size) > now ? undefined : `must be more than the present ${storage.size}: a volume never shrinks`
}
