import type { AnswerOf, BodyOf, QueryOf } from '@svc/shared/client/route-call.ts'

/** Responses and request bodies of the control plane, under the names that the web app uses. */
export type AppConfig = AnswerOf<'GET /api/app-config'>
export type Downloads = AnswerOf<'GET /api/downloads'>
export type Settings = AnswerOf<'GET /api/settings'>
export type SignUpView = AnswerOf<'POST /api/auth/sign-up/preview'>['signUp']
export type AuditPage = AnswerOf<'GET /api/orgs/{orgId}/audit'>
export type AuditFilter = QueryOf<'GET /api/orgs/{orgId}/audit'>
export type AuditVerification = AnswerOf<'GET /api/orgs/{orgId}/audit/verify'>
export type AdmissionOffer = NonNullable<Settings['admissionOffers']>[number]
export type Profile = Settings['profile']
export type Organization = Settings['organizations'][number]
export type Member = Organization['members'][number]
export type Invitation = NonNullable<Organization['invitations']>[number]
export type InvitationView = AnswerOf<'POST /api/invitations/{invitationId}/preview'>['invitation']
export type Role = Organization['role']
export type DaemonMode = OrganizationVaults['daemonMode']
export type OrganizationVaults = AnswerOf<'GET /api/vaults'>['organizations'][number]
export type VaultState = OrganizationVaults['state']
export type Vault = OrganizationVaults['vaults'][number]
export type DaemonStatus = AnswerOf<'GET /api/orgs/{orgId}/daemon/status'>['daemon']
export type HostedStatus = AnswerOf<'GET /api/orgs/{orgSlug}/hosted/status'>['status']
export type BackupState = NonNullable<HostedStatus['backup']>
export type IdleSleep = AnswerOf<'PATCH /api/orgs/{orgId}/hosted/idle-sleep'>['idleSleep']
export type Condition = HostedStatus['conditions'][number]
export type MaskedKey = AnswerOf<'GET /api/orgs/{orgId}/api-key'>
export type IssuedKey = AnswerOf<'POST /api/orgs/{orgId}/api-key'>
export type SelfHostedCreated = AnswerOf<'POST /api/provisioning/orgs/self-hosted'>
export type HostedCreated = AnswerOf<'POST /api/provisioning/orgs/cloud-hosted/comped'>
export type Entry = AnswerOf<'POST /api/orgs/{orgSlug}/vaults/{vaultSlug}/entry'>['entry']
export type CreateOrganization = BodyOf<'POST /api/provisioning/orgs/self-hosted'>
export type CreateHosted = BodyOf<'POST /api/provisioning/orgs/cloud-hosted/comped'>
export type CreateHostedVault = BodyOf<'POST /api/orgs/{orgId}/vaults/hosted'>
export type HostedVaultCreated = AnswerOf<'POST /api/orgs/{orgId}/vaults/hosted'>
export type UpdateProfile = BodyOf<'PATCH /api/settings/profile'>
export type SessionView = AnswerOf<'GET /api/auth/list-sessions'>[number]
