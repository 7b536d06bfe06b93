/** A file of a vault as MCP names it. */
export type ResourceName = { vaultId: string; path: string }

const SCHEME = 'vault://'

/** The address of a file: `vault://<vault-id>/<path>`, each segment percent-encoded. Pure. */
export const resourceUri = ({ vaultId, path }: ResourceName): string =>
  `${SCHEME}${[vaultId, ...path.split('/')].map(encodeURIComponent).join('/')}`

/** What an address names, or undefined when it is none of ours. Pure. */
export function parseResourceUri(uri: string): ResourceName | undefined {
  if (!uri.startsWith(SCHEME)) return undefined
  try {
    const [vaultId = '', ...segments] = uri.slice(SCHEME.length).split('/').map(decodeURIComponent)
    const isWhole = vaultId !== '' && segments.length > 0 && !segments.some((segment) => segment.includes('/'))
    return isWhole ? { vaultId, path: segments.join('/') } : undefined
  } catch {
    return undefined
  }
}
