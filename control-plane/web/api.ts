import type { Theme } from '@svc/shared/wire/themes.ts'
import type * as answers from './answers.ts'
import { call } from './request.ts'

/**
 * Every route of the control plane that the app uses, except sign-in (account/auth-api.ts) and administration
 * (admin/admin-api.ts).
 */
export const api = {
  readConfig: () => call('GET /api/app-config'),
  readDownloads: (signal?: AbortSignal) => call('GET /api/downloads', { signal }),
  readSettings: () => call('GET /api/settings'),
  updateProfile: (profile: answers.UpdateProfile) => call('PATCH /api/settings/profile', { body: profile }),

  /** Sets the theme for every page of the person, here and in the vaults. */
  chooseTheme: (theme: Theme) => call('PATCH /api/settings/preferences', { body: { theme } }),

  answerOffer: (orgId: string, accept: boolean) =>
    call('POST /api/settings/admission-offers/{orgId}', { params: { orgId }, body: { accept } }),

  listVaults: (signal?: AbortSignal) => call('GET /api/vaults', { signal }).then((found) => found.organizations),
  createHostedVault: (orgId: string, vault: answers.CreateHostedVault) =>
    call('POST /api/orgs/{orgId}/vaults/hosted', { params: { orgId }, body: vault }),
  mintEntry: (orgSlug: string, vaultSlug: string, signal?: AbortSignal) =>
    call('POST /api/orgs/{orgSlug}/vaults/{vaultSlug}/entry', { params: { orgSlug, vaultSlug }, signal }).then(
      (minted) => minted.entry,
    ),

  createSelfHosted: (organization: answers.CreateOrganization) =>
    call('POST /api/provisioning/orgs/self-hosted', { body: organization }),
  createHosted: (organization: answers.CreateHosted) =>
    call('POST /api/provisioning/orgs/cloud-hosted/comped', { body: organization }),
  deleteOrganization: (orgId: string, name: string) =>
    call('DELETE /api/orgs/{orgId}', { params: { orgId }, body: { name } }),
  listAudit: (orgId: string, filter: answers.AuditFilter, signal?: AbortSignal) =>
    call('GET /api/orgs/{orgId}/audit', { params: { orgId }, query: { limit: 50, ...filter }, signal }),
  verifyAudit: (orgId: string) => call('GET /api/orgs/{orgId}/audit/verify', { params: { orgId } }),
  setAutoAdmit: (orgId: string, enabled: boolean) =>
    call('PATCH /api/orgs/{orgId}/auto-admit', { params: { orgId }, body: { enabled } }),

  readDaemonStatus: (orgId: string, signal?: AbortSignal) =>
    call('GET /api/orgs/{orgId}/daemon/status', { params: { orgId }, signal }).then(({ daemon }) => daemon),
  readHostedStatus: (orgSlug: string, signal?: AbortSignal) =>
    call('GET /api/orgs/{orgSlug}/hosted/status', { params: { orgSlug }, signal }).then(({ status }) => status),
  setIdleSleep: (orgId: string, seconds: number | null) =>
    call('PATCH /api/orgs/{orgId}/hosted/idle-sleep', { params: { orgId }, body: { seconds } }),
  setBackupInterval: (orgId: string, seconds: number | null) =>
    call('PATCH /api/orgs/{orgId}/hosted/backups', { params: { orgId }, body: { seconds } }),
  wakeHosted: (orgSlug: string) => call('POST /api/orgs/{orgSlug}/hosted/wake', { params: { orgSlug } }),
  readDaemonKey: (orgId: string) => call('GET /api/orgs/{orgId}/api-key', { params: { orgId } }),
  issueDaemonKey: (orgId: string) => call('POST /api/orgs/{orgId}/api-key', { params: { orgId } }),
  rotateDaemonKey: (orgId: string, rotation: { immediate: boolean }) =>
    call('POST /api/orgs/{orgId}/api-key/rotate', { params: { orgId }, body: rotation }),

  resetVaultOrigin: (orgId: string) => call('POST /api/orgs/{orgId}/vault-origin/reset', { params: { orgId } }),

  renameOrganization: (organizationId: string, name: string) =>
    call('POST /api/auth/organization/update', { body: { organizationId, data: { name } } }),
  inviteMember: (invitation: { organizationId: string; email: string; role: answers.Role; resend?: true }) =>
    call('POST /api/auth/organization/invite-member', { body: invitation }),
  cancelInvitation: (invitationId: string) =>
    call('POST /api/auth/organization/cancel-invitation', { body: { invitationId } }),
  acceptInvitation: (invitation: { invitationId: string; token?: string }) =>
    call('POST /api/auth/organization/accept-invitation', { body: invitation }),
  previewInvitation: (invitationId: string, token: string) =>
    call('POST /api/invitations/{invitationId}/preview', { params: { invitationId }, body: { token } }).then(
      ({ invitation }) => invitation,
    ),
  createInvitedAccount: (invitationId: string, account: { token: string; name: string; password: string }) =>
    call('POST /api/invitations/{invitationId}/account', { params: { invitationId }, body: account }),
  copyInvitationLink: (orgId: string, invitationId: string) =>
    call('POST /api/orgs/{orgId}/invitations/{invitationId}/link', { params: { orgId, invitationId } }).then(
      ({ link }) => link,
    ),
  removeMember: (organizationId: string, memberIdOrEmail: string) =>
    call('POST /api/auth/organization/remove-member', { body: { organizationId, memberIdOrEmail } }),
  leaveOrganization: (organizationId: string) =>
    call('POST /api/auth/organization/leave', { body: { organizationId } }),
  updateMemberRole: (member: { organizationId: string; memberId: string; role: answers.Role }) =>
    call('POST /api/auth/organization/update-member-role', { body: member }),
}
