/** A path as a part of an address: its segments are encoded, its slashes are kept. */
export const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

/** The start of every address of a vault's API. */
export const vaultUrl = (vaultId: string): string => `/api/vaults/${encodeURIComponent(vaultId)}`
