import { z } from 'zod'
import { text } from '../text.ts'

/** Arguments that several tools share, described once. */
export const vaultIdText = text().min(1).max(255)
export const vaultIdArgument = vaultIdText.describe('From list_vaults; there is no default.')
export const pathArgument = text().min(1).max(4096).describe('Vault-relative, e.g. notes/plan.md')

/** The position of a page in a list by number. */
export const offsetCursor = z
  .string()
  .regex(/^\d{1,9}$/, 'is not a cursor of this list')
  .optional()

/** The place of a page in a list of files. Earlier versions gave a position. */
export const fileCursor = text()
  .max(4_200)
  .regex(/^(?:\d{1,9}$|after:)/, 'is not a cursor of this list')
  .optional()
