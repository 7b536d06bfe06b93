import type { KubeObject } from './kinds.ts'

/** A whole collection as of one version. */
export type Listing<T> = {
  items: T[]
  asOf: bigint
  /** True when more was known before the request: the API has been restored from a backup since. */
  isFallen: boolean
}

export const versionOf = ({ metadata }: KubeObject): bigint => BigInt(metadata.resourceVersion ?? 0)

/**
 * Whether a listing shows an object as a backup had it, older than the copy. A listing shows everything up to its own
 * version. Only a copy above that may be newer: from the watch, or from a write of ours.
 */
export function isFromBackup<T extends KubeObject>(item: T, copy: T, { asOf, isFallen }: Listing<T>): boolean {
  const isSame = item.metadata.uid === copy.metadata.uid
  return isSame && versionOf(item) < versionOf(copy) && (isFallen || versionOf(copy) <= asOf)
}
