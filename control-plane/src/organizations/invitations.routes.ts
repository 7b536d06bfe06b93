import type { FastifyReply } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import {
  Done,
  InvitationLink,
  InvitationPreview,
  InvitationToken,
  InvitedAccountRequest,
  InvitationParams,
  OrgInvitationParams,
} from '@svc/shared/wire/control-plane.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { Guards, Session } from '../http/guards.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import type { openInvitation } from './invitation-secret.ts'
import type { RecordEntry } from './record-entry.ts'

/** Creates or completes the account of a proven address, and signs in; false when it has a confirmed account. */
export type CreateProvenAccount = (
  account: { email: string; name: string; password: string },
  reply: FastifyReply,
) => Promise<boolean>

export type InvitationsRouteDeps = {
  guards: Guards
  rateLimit: RateLimit
  open(opening: { invitationId: string; token: string }): ReturnType<typeof openInvitation>
  copyLink(
    invitation: { orgId: string; invitationId: string; inviterId: string },
    record: RecordEntry,
  ): Promise<{ link: string; expiresAt: string }>
  /** Makes and audits a change of an organization. */
  changeOrganization<Answer extends { ok: boolean }>(
    change: { event: string; orgId: string; session: Session; body: { invitationId: string } },
    make: (record: RecordEntry) => Promise<Answer>,
  ): Promise<Answer>
  hasProvenAccount(email: string): Promise<boolean>
  createProvenAccount: CreateProvenAccount
}

/** Attempts of one client to open tokens. They cannot be guessed; the limit only bounds the load. */
const OPENINGS = { max: 60, seconds: 300 }

/** What a person with an invitation's link sees and does without a session, and the link that an admin copies. */
export function invitationsRoutes(deps: InvitationsRouteDeps): FastifyPluginAsyncZod {
  const { guards, rateLimit, open, copyLink, changeOrganization, hasProvenAccount, createProvenAccount } = deps

  return async (app) => {
    app.post(
      '/api/invitations/:invitationId/preview',
      { schema: { params: InvitationParams, body: InvitationToken, response: { 200: InvitationPreview } } },
      async ({ clientAddress, params: { invitationId }, body: { token } }) => {
        await rateLimit({ key: 'invitation', client: clientAddress, ...OPENINGS })
        const { email, role, orgName, inviterName, expiresAt, proven } = await open({ invitationId, token })
        return {
          ok: true as const,
          invitation: {
            organization: { name: orgName },
            // A link that was copied may be anybody's, so it tells no address in place of a missing name.
            inviter: { name: inviterName || 'An admin' },
            email,
            role: role ?? 'member',
            expiresAt: expiresAt.toISOString(),
            proven,
            // Only the owner of an address learns whether it has an account.
            ...(proven ? { hasAccount: await hasProvenAccount(email) } : {}),
          },
        }
      },
    )

    app.post(
      '/api/invitations/:invitationId/account',
      { schema: { params: InvitationParams, body: InvitedAccountRequest, response: { 200: Done } } },
      async ({ clientAddress, params: { invitationId }, body: { token, ...account } }, reply) => {
        await rateLimit({ key: 'invitation', client: clientAddress, ...OPENINGS })
        const { email, proven } = await open({ invitationId, token })
        if (!proven) throw fail('invitation_invalid')
        if (!(await createProvenAccount({ email, ...account }, reply)))
          throw fail(
            'invitation_invalid',
            { reason: 'account_exists' },
            { message: 'This address has an account. Sign in to accept the invitation.' },
          )
        return { ok: true as const }
      },
    )

    app.post(
      '/api/orgs/:orgId/invitations/:invitationId/link',
      { onRequest: guards.orgAdmin, schema: { params: OrgInvitationParams, response: { 200: InvitationLink } } },
      async ({ params: { orgId, invitationId }, session }, reply) => {
        reply.header('cache-control', 'no-store')
        const change = { event: 'invitation_link_copied', orgId, session, body: { invitationId } }
        return changeOrganization(change, async (record) => {
          const link = await copyLink({ orgId, invitationId, inviterId: session.person.id }, record)
          return { ok: true as const, ...link }
        })
      },
    )
  }
}
