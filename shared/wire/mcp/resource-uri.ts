/** A file of a vault as MCP names it. `org` is there where a vault alone does not say where it is. */
export type ResourceName = { vaultId: string; path: string }
export type OrgResourceName = ResourceName & { org: string }

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

/** The address of a file where the organization is named too: `vault://<org>/<vault-id>/<path>`. Pure. */
export const orgResourceUri = ({ org, vaultId, path }: OrgResourceName): string =>
  resourceUri({ vaultId: org, path: `${vaultId}/${path}` })

/** What an address with an organization names, or undefined when it is none of ours. Pure. */
export function parseOrgResourceUri(uri: string): OrgResourceName | undefined {
  const parsed = parseResourceUri(uri)
  const [vaultId = '', ...segments] = parsed?.path.split('/') ?? []
  return parsed && vaultId !== '' && segments.length > 0
    ? { org: parsed.vaultId, vaultId, path: segments.join('/') }
    : undefined
}
