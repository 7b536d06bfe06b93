import type { Actor } from '../entry/actor.ts'
import { createAuditLog, type AuditLogOptions } from './audit-log.ts'

/** Who created a vault, and how. */
export type Creation = { by: Actor; tool: 'create_vault' | 'import_vault' }

/** Writes the first entry of a vault, durably, before the vault is at its path. */
export async function recordCreation(log: Omit<AuditLogOptions, 'isMade'>, { by, tool }: Creation): Promise<void> {
  // There are no earlier entries whose outcome is not known.
  const audit = createAuditLog({ ...log, isMade: async () => false })
  await audit.record({ by, tool, path: '' })
  await audit.close()
}
