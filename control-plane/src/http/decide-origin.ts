/** What a request says of where it comes from. */
export type OriginSigns = {
  method: string
  origin: string | undefined
  fetchSite: string | undefined
  contentType: string | undefined
  hasBody: boolean
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Whether a request may change something, judged by where it comes from. Browsers always say so, by Origin or by fetch
 * metadata; a client that says nothing must send JSON with a body, which no page elsewhere can make a browser do.
 */
export function isFromHere(signs: OriginSigns, ownOrigin: string): boolean {
  if (safeMethods.has(signs.method)) return true
  if (signs.origin !== undefined) return signs.origin === ownOrigin
  if (signs.fetchSite !== undefined) return signs.fetchSite === 'same-origin'
  return signs.hasBody && /^application\/json\s*(?:;|$)/i.test(signs.contentType ?? '')
}
