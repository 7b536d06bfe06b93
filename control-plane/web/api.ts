import type { Theme } from '@svc/shared/wire/themes.ts'
import type * as answers from './answers.ts'
import { path, query, request } from './request.ts'

const get = <T>(address: string, signal?: AbortSignal) => request<T>(address, signal === undefined ? {} : { signal })
const post = <T>(address: string, body?: unknown, signal?: AbortSignal) =>
  request<T>(address, { method: 'POST', body, ...(signal === undefined ? {} : { signal }) })

/** Every route of the control plane that the app uses, but sign-in (account/auth-api.ts) and admin/admin-api.ts. */
export const api = {
  readConfig: () => get<answers.AppConfig>('/api/app-config'),
  readDownloads: (signal?: AbortSignal) => get<answers.Downloads>('/api/downloads', signal),
  readSettings: () => get<answers.Settings>('/api/settings'),
  updateProfile: (profile: answers.UpdateProfile) =>
    request<{ profile: answers.Profile }>('/api/settings/profile', { method: 'PATCH', body: profile }),

  /** For every page of the person, here and in the vaults. */
  chooseTheme: (theme: Theme) =>
    request<{ theme: Theme }>('/api/settings/preferences', { method: 'PATCH', body: { theme } }),

  answerOffer: (orgId: string, accept: boolean) =>
    post<{ ok: true }>(path`/api/settings/admission-offers/${orgId}`, { accept }),

  listVaults: (signal?: AbortSignal) =>
    get<{ organizations: answers.OrganizationVaults[] }>('/api/vaults', signal).then((found) => found.organizations),
  createHostedVault: (orgId: string, vault: answers.CreateHostedVault) =>
    post<answers.HostedVaultCreated>(path`/api/orgs/${orgId}/vaults/hosted`, vault),
  mintEntry: (orgSlug: string, vaultSlug: string, signal?: AbortSignal) =>
    post<{ entry: answers.Entry }>(path`/api/orgs/${orgSlug}/vaults/${vaultSlug}/entry`, {}, signal).then(
      (minted) => minted.entry,
    ),

  createSelfHosted: (organization: answers.CreateOrganization) =>
    post<answers.SelfHostedCreated>('/api/provisioning/orgs/self-hosted', organization),
  createHosted: (organization: answers.CreateHosted) =>
    post<answers.HostedCreated>('/api/provisioning/orgs/cloud-hosted/comped', organization),
  deleteOrganization: (orgId: string, name: string) =>
    request<{ ok: true }>(path`/api/orgs/${orgId}`, { method: 'DELETE', body: { name } }),
  listAudit: (orgId: string, filter: Record<string, string | undefined>, signal?: AbortSignal) =>
    get<answers.AuditPage>(path`/api/orgs/${orgId}/audit` + query({ limit: 50, ...filter }), signal),
  verifyAudit: (orgId: string) => get<answers.AuditVerification>(path`/api/orgs/${orgId}/audit/verify`),
  setAutoAdmit: (orgId: string, enabled: boolean) =>
    request<{ autoAdmit: answers.AutoAdmit }>(path`/api/orgs/${orgId}/auto-admit`, {
      method: 'PATCH',
      body: { enabled },
    }),

  readDaemonStatus: (orgId: string, signal?: AbortSignal) =>
    get<{ daemon: answers.DaemonStatus }>(path`/api/orgs/${orgId}/daemon/status`, signal).then(({ daemon }) => daemon),
  readHostedStatus: (orgSlug: string, signal?: AbortSignal) =>
    get<{ status: answers.HostedStatus }>(path`/api/orgs/${orgSlug}/hosted/status`, signal).then(
      ({ status }) => status,
    ),
  setIdleSleep: (orgId: string, seconds: number | null) =>
    request<{ idleSleep: answers.IdleSleep }>(path`/api/orgs/${orgId}/hosted/idle-sleep`, {
      method: 'PATCH',
      body: { seconds },
    }),
  wakeHosted: (orgSlug: string) => post<{ ok: true }>(path`/api/orgs/${orgSlug}/hosted/wake`),
  readDaemonKey: (orgId: string) => get<answers.MaskedKey>(path`/api/orgs/${orgId}/api-key`),
  issueDaemonKey: (orgId: string) => post<answers.IssuedKey>(path`/api/orgs/${orgId}/api-key`),
  rotateDaemonKey: (orgId: string, rotation: { immediate: boolean }) =>
    post<answers.IssuedKey>(path`/api/orgs/${orgId}/api-key/rotate`, rotation),

  resetVaultOrigin: (orgId: string) => post<{ ok: true }>(path`/api/orgs/${orgId}/vault-origin/reset`),

  renameOrganization: (organizationId: string, name: string) =>
    post<unknown>('/api/auth/organization/update', { organizationId, data: { name } }),
  inviteMember: (invitation: { organizationId: string; email: string; role: answers.Role; resend?: true }) =>
    post<unknown>('/api/auth/organization/invite-member', invitation),
  cancelInvitation: (invitationId: string) =>
    post<unknown>('/api/auth/organization/cancel-invitation', { invitationId }),
  acceptInvitation: (invitation: { invitationId: string; token?: string }) =>
    post<unknown>('/api/auth/organization/accept-invitation', invitation),
  previewInvitation: (invitationId: string, token: string) =>
    post<{ invitation: answers.InvitationView }>(path`/api/invitations/${invitationId}/preview`, { token }).then(
      ({ invitation }) => invitation,
    ),
  createInvitedAccount: (invitationId: string, account: { token: string; name: string; password: string }) =>
    post<{ ok: true }>(path`/api/invitations/${invitationId}/account`, account),
  copyInvitationLink: (orgId: string, invitationId: string) =>
    post<{ link: string }>(path`/api/orgs/${orgId}/invitations/${invitationId}/link`).then(({ link }) => link),
  removeMember: (organizationId: string, memberIdOrEmail: string) =>
    post<unknown>('/api/auth/organization/remove-member', { organizationId, memberIdOrEmail }),
  leaveOrganization: (organizationId: string) => post<unknown>('/api/auth/organization/leave', { organizationId }),
  updateMemberRole: (member: { organizationId: string; memberId: string; role: answers.Role }) =>
    post<unknown>('/api/auth/organization/update-member-role', member),
}
