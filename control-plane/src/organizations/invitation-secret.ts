import { createHash, randomBytes } from 'node:crypto'
import { sameSecret } from '@svc/shared/kit/same-secret.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { MailSender } from '../mail/mail.ts'
import { renderMail } from '../mail/render-mail.ts'
import type { InvitationsRepository } from './invitations.repository.ts'

type Deps = { invitations: InvitationsRepository; mail: MailSender; baseUrl: string }
type Sent = { id: string; email: string; organizationName: string; inviterName: string }
type Answer = { invitationId: string; token: string; person: { email: string; emailVerified: boolean } }

const hashOf = (secret: string) => createHash('sha256').update(secret).digest('hex')

/** Mails an invitation: its link carries a fresh 256-bit secret of which only the hash is kept. */
export function createSendInvitation({ invitations, mail, baseUrl }: Deps) {
  return async ({ id, email, organizationName, inviterName }: Sent): Promise<void> => {
    const secret = randomBytes(32).toString('base64url')
    await invitations.putSecret(id, hashOf(secret))
    const link = `${baseUrl}/invitations/${id}#token=${secret}`
    await mail.send(renderMail({ template: 'invitation', to: email, link, organization: organizationName, inviter: inviterName })) // prettier-ignore
  }
}

/**
 * Lets an answer to an invitation pass: the secret is the mailed one, the inviter is still an admin, and the person's
 * address is the invited one and verified. All refusals look alike, but for the missing verification.
 */
export async function checkInvitation(invitations: InvitationsRepository, { invitationId, token, person }: Answer) {
  const invitation = await invitations.findPending(invitationId)
  if (invitation === undefined || !sameSecret(invitation.secretHash, hashOf(token))) throw fail('invitation_invalid')
  if (invitation.email.toLowerCase() !== person.email.toLowerCase()) throw fail('invitation_invalid')
  if (!person.emailVerified) throw fail('invitation_invalid', { reason: 'email_not_verified' }, { message: 'Confirm your e-mail address first, then accept the invitation.' }) // prettier-ignore
  return invitation
}
