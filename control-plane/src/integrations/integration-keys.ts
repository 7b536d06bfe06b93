/** The key of every client on a person's own computer: nothing proves which program it is. */
export const LOCAL_PROGRAM = 'local'

/** The keys under which an admin may have decided about a client: its own, then its web origin. */
export function keysOf(key: string): string[] {
  const origin = siteOf(key)
  return origin === undefined || origin === key ? [key] : [key, origin]
}

/** The key for every client of the same web origin; undefined for local programs. */
export const siteOf = (key: string): string | undefined => (key === LOCAL_PROGRAM ? undefined : URL.parse(key)?.origin)

/** The web host of a key; null for local programs. */
export const hostOf = (key: string): string | null => URL.parse(key)?.host ?? null
