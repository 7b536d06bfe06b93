const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Whether a request came under our name and from a page that may ask. Without this a page whose name was pointed at this
 * machine could call with what it knows. A public platform may be called from any https page or from pages on the
 * person's own computer, because it believes nothing but a token; a local one only from this computer. Pure.
 */
export function isAllowedCaller(
  { host, origin }: { host: string | undefined; origin: string | undefined },
  baseUrl: string,
): boolean {
  const own = new URL(baseUrl)
  const named = URL.parse(`${own.protocol}//${host ?? ''}`)
  if (named === null || named.pathname !== '/' || named.port !== own.port) return false
  const isLocal = LOOPBACK.has(own.hostname)
  if (isLocal ? !LOOPBACK.has(named.hostname) : named.hostname !== own.hostname) return false
  if (origin === undefined) return true
  const from = URL.parse(origin)
  if (from === null || from.origin !== origin) return false
  return LOOPBACK.has(from.hostname) || (!isLocal && from.protocol === 'https:')
}
