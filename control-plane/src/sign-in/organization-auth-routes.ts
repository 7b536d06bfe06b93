import { z } from 'zod'
import { EmailAddress as email, PersonName as name } from '@svc/shared/wire/accounts.api.ts'
import { Role } from '@svc/shared/wire/assertions.ts'
import { InvitationId, OrgId } from '@svc/shared/wire/ids.ts'
import { text } from '@svc/shared/wire/text.ts'
import type { AuthRoute } from './auth-route.ts'

const token = text().min(1).max(4_096)
const memberId = text().min(1).max(100)

/** Changes of an organization: its name, members, roles and invitations. */
export const organizationAuthRoutes: readonly AuthRoute[] = [
  {
    method: 'POST',
    path: '/organization/update',
    event: 'renamed',
    limit: 'change',
    body: z.strictObject({ organizationId: OrgId, data: z.strictObject({ name }) }),
    check: 'renaming',
  },
  {
    method: 'POST',
    path: '/organization/invite-member',
    event: 'invitation_sent',
    limit: 'mail',
    body: z.strictObject({ organizationId: OrgId, email, role: Role, resend: z.boolean().optional() }),
    check: 'invitation',
  },
  {
    method: 'POST',
    path: '/organization/cancel-invitation',
    event: 'invitation_canceled',
    limit: 'change',
    body: z.strictObject({ invitationId: InvitationId }),
    check: 'cancellation',
  },
  {
    method: 'POST',
    path: '/organization/accept-invitation',
    event: 'invitation_accepted',
    limit: 'change',
    gainsRights: true,
    body: z.strictObject({ invitationId: InvitationId, token: token.default('') }),
    check: 'acceptance',
  },
  {
    method: 'POST',
    path: '/organization/reject-invitation',
    event: 'invitation_rejected',
    limit: 'change',
    body: z.strictObject({ invitationId: InvitationId, token: token.default('') }),
    check: 'rejection',
  },
  {
    method: 'POST',
    path: '/organization/remove-member',
    event: 'member_removed',
    limit: 'change',
    body: z.strictObject({ organizationId: OrgId, memberIdOrEmail: z.union([memberId, email]) }),
    check: 'removal',
  },
  {
    method: 'POST',
    path: '/organization/leave',
    event: 'member_left',
    limit: 'change',
    body: z.strictObject({ organizationId: OrgId }),
    check: 'leaving',
  },
  {
    method: 'POST',
    path: '/organization/update-member-role',
    event: 'role_changed',
    limit: 'change',
    body: z.strictObject({ organizationId: OrgId, memberId, role: Role }),
    check: 'roleChange',
  },
]
