const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Whether a request used our host name and came from an allowed page. Otherwise a page that pointed its own name at
 * this machine could call the endpoint. A public platform accepts any https page and pages on the person's own
 * computer, because only a token gives rights; a local one accepts this computer only. Pure.
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
