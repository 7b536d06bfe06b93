import type { z } from 'zod'
import type { SignUpPreview } from '@svc/shared/wire/accounts.api.ts'
import type { AuditList, AuditVerification as WireVerification } from '@svc/shared/wire/audit.api.ts'
import type * as wire from '@svc/shared/wire/control-plane.api.ts'
import type { Condition as WireCondition } from '@svc/shared/wire/managed-daemon.ts'

/** Answers of the control plane as the web app reads them: the wire schemas, as types. */
export type AppConfig = z.infer<typeof wire.AppConfig>
export type Downloads = z.infer<typeof wire.Downloads>
export type Settings = z.infer<typeof wire.Settings>
export type SignUpView = z.infer<typeof SignUpPreview>['signUp']
export type AuditPage = z.infer<typeof AuditList>
export type AuditVerification = z.infer<typeof WireVerification>
export type AdmissionOffer = z.infer<typeof wire.AdmissionOffer>
export type Profile = z.infer<typeof wire.Profile>
export type Organization = z.infer<typeof wire.OrganizationView>
export type Member = z.infer<typeof wire.Member>
export type Invitation = NonNullable<Organization['invitations']>[number]
export type InvitationView = z.infer<typeof wire.InvitationPreview>['invitation']
export type Role = Organization['role']
export type DaemonMode = z.infer<typeof wire.DaemonMode>
export type OrganizationVaults = z.infer<typeof wire.OrganizationVaults>
export type VaultState = OrganizationVaults['state']
export type Vault = z.infer<typeof wire.VaultEntryView>
export type DaemonStatus = z.infer<typeof wire.DaemonControlStatus>['daemon']
export type HostedStatus = z.infer<typeof wire.HostedStatus>['status']
export type BackupState = NonNullable<HostedStatus['backup']>
export type IdleSleep = z.infer<typeof wire.IdleSleep>
export type Condition = z.infer<typeof WireCondition>
export type MaskedKey = z.infer<typeof wire.MaskedKey>
export type IssuedKey = z.infer<typeof wire.IssuedKey>
export type SelfHostedCreated = z.infer<typeof wire.SelfHostedCreated>
export type HostedCreated = z.infer<typeof wire.HostedCreated>
export type Entry = z.infer<typeof wire.EntryMinted>['entry']
export type AutoAdmit = z.infer<typeof wire.AutoAdmitResult>['autoAdmit']
export type CreateOrganization = z.input<typeof wire.CreateOrganizationRequest>
export type CreateHosted = z.input<typeof wire.CreateHostedRequest>
export type CreateHostedVault = z.input<typeof wire.CreateHostedVaultRequest>
export type HostedVaultCreated = z.infer<typeof wire.HostedVaultCreated>
export type UpdateProfile = z.input<typeof wire.UpdateProfileRequest>

/** A session as the sign-in handler lists it. */
export type SessionView = {
  id: string
  token: string
  createdAt: string
  updatedAt: string
  userAgent?: string | null
  ipAddress?: string | null
}
