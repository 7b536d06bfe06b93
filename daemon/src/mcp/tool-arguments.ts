import { text } from '@svc/shared/wire/text.ts'

/** Arguments that several tools share, described once. */
export const vaultIdArgument = text().min(1).describe('From list_vaults; there is no default.')
export const pathArgument = text().min(1).describe('Vault-relative, e.g. notes/plan.md')
