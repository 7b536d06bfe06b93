/**
 * The CPU that a pod reserves: that percentage of its limit, at least 1m. The API server judges a limit that is written
 * in another way, so such a limit is reserved as it is.
 */
export function cpuRequest(limit: string, percent: number): string {
  const millicores = limit.endsWith('m') ? Number(limit.slice(0, -1)) : Number(limit) * 1_000
  if (!(millicores > 0)) return limit
  return `${Math.max(1, Math.floor((millicores * percent) / 100))}m`
}
