/** A path as a part of an address: its segments are encoded, its slashes stay. */
export const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

/** Where the API of a vault begins. */
export const vaultUrl = (vaultId: string): string => `/api/vaults/${encodeURIComponent(vaultId)}`
