import type { AuditChain, AuditRecord } from '@svc/shared/wire/audit.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { Db } from '../db/database.ts'
import type { ChangeInTurn } from '../db/organization-turns.ts'
import type { Person } from '../http/guards.ts'
import type { AccountChangesRepository } from './account-changes.repository.ts'

export type DeleteDeps = {
  changes: Pick<AccountChangesRepository, 'listMemberships' | 'listSoleAdminships' | 'deleteAccount'>
  changeInTurn: ChangeInTurn
  /** Notes which organizations had removed the person, before the account is gone. */
  keepRemovals(trx: Db, person: Pick<Person, 'id' | 'email'>): Promise<void>
  operatorOrg: string | undefined
  /** Appends to a chain of the audit, in the transaction that deletes the account. */
  recordAudit(trx: Db, chain: AuditChain, record: Omit<AuditRecord, 'at'>): Promise<void>
  sendGoodbye(to: string): void
}

export type DeleteAccount = (person: Person, confirmation: string) => Promise<void>

/**
 * Deletes an account with its sessions, entries, programs and memberships. Refuses while the person is the only admin
 * of an organization, and names those organizations. The audit of each organization says that the person left, and keeps
 * the name.
 */
export function createDeleteAccount(deps: DeleteDeps): DeleteAccount {
  const { changes, changeInTurn, keepRemovals, operatorOrg, recordAudit, sendGoodbye } = deps
  const recordLeft = (trx: Db, orgId: string, { id }: Person) => {
    const isOperator = orgId === operatorOrg
    return recordAudit(trx, isOperator ? 'platform' : orgId, {
      event: `${isOperator ? 'system_admins' : 'organization'}.member_left`,
      actor: { kind: 'user', id },
      orgId,
      outcome: 'done',
      reason: 'The account was deleted.',
    })
  }

  const refuseSoleAdmin = async ({ id }: Person) => {
    const organizations = await changes.listSoleAdminships(id)
    if (organizations.length === 0) return
    const message = `You are the only admin of ${listOf(organizations)}. Make somebody else admin there, or delete it, first.`
    throw fail('last_admin', { organizations }, { message })
  }

  return async (person, confirmation) => {
    if (confirmation !== person.email) throw fail('confirmation_mismatch', { expected: person.email })
    await changeInTurn(await changes.listMemberships(person.id), async () => {
      await refuseSoleAdmin(person)
      await changes.deleteAccount(person.id, {
        before: (trx, email) => keepRemovals(trx, { id: person.id, email }),
        after: async (trx, orgIds) => {
          for (const orgId of orgIds) await recordLeft(trx, orgId, person)
        },
      })
    })
    sendGoodbye(person.email)
  }
}

const listOf = (organizations: { name: string }[]): string =>
  new Intl.ListFormat('en').format(organizations.map(({ name }) => name))
