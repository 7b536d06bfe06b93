import { createHash, randomBytes } from 'node:crypto'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { Person } from '../http/guards.ts'
import type { AccountChangesRepository, EmailChange } from './account-changes.repository.ts'

type Deps = {
  changes: AccountChangesRepository
  clock: Pick<Clock, 'now'>
  isTaken(email: string): Promise<boolean>
  mails: {
    /** Mail to the new address. */
    sendConfirmation(change: EmailChange, secret: string): void
    sendTaken(to: string): void
    /** Mail to the old address: what happened, and the link that undoes it. */
    sendUndo(to: string, secret: string): void
  }
}

const CONFIRM_MS = 3_600_000
const UNDO_MS = 7 * 86_400_000

const newSecret = () => randomBytes(32).toString('base64url')
const hashOf = (secret: string) => createHash('sha256').update(secret).digest('hex')

/**
 * Changes an address in two steps. A link to the new address confirms the change, for the signed-in person only. A link
 * to the old address can undo it for a week, in case the account was taken over. Only a mail reveals whether the new
 * address has an account.
 */
export function createChangeEmail({ changes, clock, isTaken, mails }: Deps) {
  const after = (ms: number) => new Date(clock.now().getTime() + ms)

  return {
    begin: async (person: Person, newEmail: string): Promise<void> => {
      if (newEmail === person.email)
        throw fail('invalid_request', [{ path: 'email', message: 'is your address already' }])
      if (await isTaken(newEmail)) return mails.sendTaken(newEmail)
      const secret = newSecret()
      const change: EmailChange = { userId: person.id, oldEmail: person.email, newEmail }
      await changes.replaceConfirmation({ ...change, secretHash: hashOf(secret), expiresAt: after(CONFIRM_MS) })
      mails.sendConfirmation(change, secret)
    },

    /**
     * Requires the person who requested the change: a mistyped address must not get the account. Ends every session.
     */
    confirm: async (person: Person, token: string): Promise<void> => {
      const change = await changes.findChange(hashOf(token), 'confirm')
      if (change === undefined) throw fail('link_invalid')
      if (change.userId !== person.id)
        throw fail('forbidden', undefined, { message: 'Sign in with the account whose address is to change.' })
      const secret = newSecret()
      const undo = { ...change, secretHash: hashOf(secret), expiresAt: after(UNDO_MS) }
      if (!(await changes.confirmChange(hashOf(token), undo))) throw fail('link_invalid')
      mails.sendUndo(change.oldEmail, secret)
    },

    /**
     * Requires no session: whoever reads the mail of the old address is taken for the owner. Ends every session. Works
     * after further changes, too: a thief could otherwise defeat the link by another one.
     */
    undo: async (token: string): Promise<{ email: string }> => {
      const change = await changes.findChange(hashOf(token), 'undo')
      const undone = change === undefined ? 'spent' : await changes.undoChange(hashOf(token), change)
      if (undone === 'taken')
        throw fail(
          'link_invalid',
          { reason: 'account_exists' },
          { message: 'Another account has this address by now. Delete that account, then use this link again.' },
        )
      if (change === undefined || undone === 'spent') throw fail('link_invalid')
      return { email: change.oldEmail }
    },
  }
}

export type ChangeEmail = ReturnType<typeof createChangeEmail>
