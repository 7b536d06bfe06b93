import { createHash, randomBytes } from 'node:crypto'
import { sameSecret } from '@svc/shared/kit/same-secret.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { MailQueue } from '../mail/mail-queue.ts'
import { renderMail } from '../mail/render-mail.ts'
import type { AdmissionsRepository } from './admissions.repository.ts'
import type { InvitationsRepository } from './invitations.repository.ts'
import type { RecordEntry } from './record-entry.ts'
import type { RemovedAddressesRepository } from './removed-addresses.repository.ts'

type Deps = { invitations: InvitationsRepository; mails: Pick<MailQueue, 'send'>; baseUrl: string }
type Sent = {
  id: string
  email: string
  organizationName: string
  inviter: { id: string; name: string; email: string }
}
type Opening = { invitationId: string; token: string }
type Invited = { id: string; email: string; emailVerified: boolean }
type Answer = Opening & { person: Invited }
type CheckDeps = { invitations: InvitationsRepository; verifyAddress(person: Invited): Promise<void> }
type AcceptDeps = {
  invitations: InvitationsRepository
  admissions: Pick<AdmissionsRepository, 'updateReadmitted'>
  removedAddresses: Pick<RemovedAddressesRepository, 'delete'>
}

/** An organization with this many members admits nobody by invitation. */
const MEMBERS_AT_MOST = 1_000

const hashOf = (secret: string) => createHash('sha256').update(secret).digest('hex')

/**
 * Mails an invitation. Its link carries a new 256-bit secret; only the hash is stored. The admin who sends it, for the
 * first time or again, is its inviter from then on.
 */
export function createSendInvitation({ invitations, mails, baseUrl }: Deps) {
  return async ({ id, email, organizationName, inviter }: Sent, record: RecordEntry): Promise<void> => {
    const secret = randomBytes(32).toString('base64url')
    await invitations.putSecret({
      invitationId: id,
      inviterId: inviter.id,
      secretHash: hashOf(secret),
      record: (trx) => record(trx, id),
    })
    const link = linkTo(baseUrl, id, secret)
    mails.send({
      ...renderMail({
        template: 'invitation',
        to: email,
        link,
        organization: organizationName,
        inviter: inviter.name || inviter.email,
      }),
      replaces: `invitation:${id}`,
    })
  }
}

/** The invitation of a token; `proven` when the token came by mail, which proves the invited address. */
export async function openInvitation(invitations: InvitationsRepository, { invitationId, token }: Opening) {
  const invitation = await invitations.findPending(invitationId)
  if (invitation === undefined) throw fail('invitation_invalid')
  const { secretHash, linkHash, ...facts } = invitation
  const given = hashOf(token)
  const proven = sameSecret(secretHash, given)
  if (!proven && (linkHash === null || !sameSecret(linkHash, given))) throw fail('invitation_invalid')
  return { ...facts, proven }
}

/**
 * Resolves when an invitation may be answered: the request carries one of its tokens, the inviter is still an admin,
 * and the person has the invited address, verified. A mailed token verifies it, a copied one does not. All refusals
 * look alike, except the one for missing verification.
 */
export async function checkInvitation({ invitations, verifyAddress }: CheckDeps, { person, ...opening }: Answer) {
  const invitation = await openInvitation(invitations, opening)
  if (invitation.email.toLowerCase() !== person.email.toLowerCase()) throw fail('invitation_invalid')
  if (person.emailVerified) return invitation
  if (!invitation.proven)
    throw fail(
      'invitation_invalid',
      { reason: 'email_not_verified' },
      { message: 'Confirm your e-mail address first, then accept the invitation.' },
    )
  await verifyAddress(person)
  return invitation
}

/** Makes a person who may answer an invitation a member with its role. Earlier removals no longer count. */
export function createAcceptInvitation({ invitations, admissions, removedAddresses }: AcceptDeps) {
  return async ({ invitationId, person }: { invitationId: string; person: { id: string } }, record: RecordEntry) => {
    const acceptance = { invitationId, userId: person.id }
    if ((await invitations.countOtherMembers(acceptance)) >= MEMBERS_AT_MOST)
      throw fail('forbidden', { reason: 'member_limit' }, { message: 'This organization has as many members as it may have.' }) // prettier-ignore
    const accepted = await invitations.accept({
      ...acceptance,
      record,
      readmit: async (trx, member) => {
        await admissions.updateReadmitted(trx, member)
        await removedAddresses.delete(trx, member)
      },
    })
    if (accepted === undefined) throw fail('invitation_invalid')
    return accepted
  }
}

/**
 * A link to an invitation that an admin passes on. It opens the invitation and proves no address. The admin is the
 * inviter from then on.
 */
export function createCopyInvitationLink({ invitations, baseUrl }: Pick<Deps, 'invitations' | 'baseUrl'>) {
  return async (invitation: { orgId: string; invitationId: string; inviterId: string }, record: RecordEntry) => {
    const secret = randomBytes(32).toString('base64url')
    const found = await invitations.putLink({ ...invitation, linkHash: hashOf(secret), record })
    if (found === undefined) throw fail('invitation_invalid')
    return { link: linkTo(baseUrl, invitation.invitationId, secret), expiresAt: found.expiresAt.toISOString() }
  }
}

const linkTo = (baseUrl: string, id: string, secret: string) => `${baseUrl}/invitations/${id}#token=${secret}`
