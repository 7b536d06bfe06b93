import { fail } from '@svc/shared/wire/errors.ts'
import type { Db } from '../db/database.ts'
import type { Person } from '../http/guards.ts'
import type { AccountChangesRepository } from './account-changes.repository.ts'

export type DeleteDeps = {
  changes: Pick<AccountChangesRepository, 'listSoleAdminships' | 'deleteAccount'>
  /** Notes which organizations had removed the person, before the account is gone. */
  keepRemovals(trx: Db, person: Pick<Person, 'id' | 'email'>): Promise<void>
  sendGoodbye(to: string): void
}

export type DeleteAccount = (person: Person, confirmation: string) => Promise<void>

/**
 * Deletes an account with its sessions, entries, programs and memberships. Refuses while the person is the only admin
 * of an organization, and names those organizations. The audit keeps the person's name.
 */
export function createDeleteAccount({ changes, keepRemovals, sendGoodbye }: DeleteDeps): DeleteAccount {
  return async (person, confirmation) => {
    if (confirmation !== person.email) throw fail('confirmation_mismatch', { expected: person.email })
    const organizations = await changes.listSoleAdminships(person.id)
    if (organizations.length > 0)
      throw fail(
        'last_admin',
        { organizations },
        {
          message: `You are the only admin of ${listOf(organizations)}. Make somebody else admin there, or delete it, first.`,
        },
      )

    await changes.deleteAccount(person.id, (trx, email) => keepRemovals(trx, { id: person.id, email }))
    sendGoodbye(person.email)
  }
}

const listOf = (organizations: { name: string }[]): string =>
  new Intl.ListFormat('en').format(organizations.map(({ name }) => name))
