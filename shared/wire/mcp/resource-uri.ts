/** A file of a vault, as MCP names it. `org` is set where the vault id alone does not locate the vault. */
export type ResourceName = { vaultId: string; path: string }
export type OrgResourceName = ResourceName & { org: string }

/** Longest address of a file in characters. A path of 4,096 bytes takes three times as many when it is encoded. */
export const MAX_URI = 16_384
/** Longest address of a file that is followed: each change of it is told with the whole address. */
export const MAX_FOLLOWED_URI = 8_192

const SCHEME = 'vault://'

/** The address of a file: `vault://<vault-id>/<path>`, each segment percent-encoded. Pure. */
export const resourceUri = ({ vaultId, path }: ResourceName): string =>
  `${SCHEME}${[vaultId, ...path.split('/')].map(encodeURIComponent).join('/')}`

/** The file that an address names, or undefined for any other address. Pure. */
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

/** The address of a file with its organization: `vault://<org>/<vault-id>/<path>`. Pure. */
export const orgResourceUri = ({ org, vaultId, path }: OrgResourceName): string =>
  resourceUri({ vaultId: org, path: `${vaultId}/${path}` })

/** The file that an address with an organization names, or undefined for any other address. Pure. */
export function parseOrgResourceUri(uri: string): OrgResourceName | undefined {
  const parsed = parseResourceUri(uri)
  const [vaultId = '', ...segments] = parsed?.path.split('/') ?? []
  return parsed && vaultId !== '' && segments.length > 0
    ? { org: parsed.vaultId, vaultId, path: segments.join('/') }
    : undefined
}
