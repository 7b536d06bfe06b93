import { z } from 'zod'

/** Arguments that several tools share, described once. */
export const vaultIdArgument = z.string().min(1).describe('From list_vaults; there is no default.')
export const pathArgument = z.string().min(1).describe('Vault-relative, e.g. notes/plan.md')
