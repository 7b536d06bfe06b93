/** What a request says about its origin. */
export type OriginSigns = {
  method: string
  origin: string | undefined
  fetchSite: string | undefined
  contentType: string | undefined
  hasBody: boolean
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Decides by its origin whether a request may change something. Browsers always state it, by Origin or by fetch
 * metadata. A client that states nothing must send JSON with a body, which no page elsewhere can make a browser do.
 */
export function isFromHere(signs: OriginSigns, ownOrigin: string): boolean {
  if (safeMethods.has(signs.method)) return true
  if (signs.origin !== undefined) return signs.origin === ownOrigin
  if (signs.fetchSite !== undefined) return signs.fetchSite === 'same-origin'
  return signs.hasBody && /^application\/json\s*(?:;|$)/i.test(signs.contentType ?? '')
}
