const SERVED_APART = /^\/+(?:api|_svc|mcp|metrics|assets)(?:\/|$)/i

/**
 * True if a request target can only lead to a page of the UI. Decided on the decoded path, which is what the router
 * matches: `/%61pi/vaults` is the API. False for a path that cannot be decoded.
 */
export function isUiPath(target: string): boolean {
  try {
    return !SERVED_APART.test(decodeURIComponent(target.split(/[?#]/)[0]!))
  } catch {
    return false
  }
}
