import type { ColumnType, Generated } from 'kysely'
import type { Theme } from '@svc/shared/wire/themes.ts'

type Json = ColumnType<unknown, string | null, string | null>

/** Tables of the sign-in library. Its column names are camelCase. */
export type UserTable = {
  id: string
  name: string
  email: string
  emailVerified: boolean
  image: string | null
  createdAt: Date
  updatedAt: Date
  /** Sign-in asks for a code of an authenticator app. */
  twoFactorEnabled: Generated<boolean | null>
}
export type SessionTable = {
  id: string
  token: string
  userId: string
  expiresAt: Date
  createdAt: Date
  updatedAt: Date
  ipAddress: string | null
  userAgent: string | null
  activeOrganizationId: string | null
}
export type AccountTable = {
  id: string
  accountId: string
  providerId: string
  userId: string
  accessToken: string | null
  refreshToken: string | null
  idToken: string | null
  accessTokenExpiresAt: Date | null
  refreshTokenExpiresAt: Date | null
  scope: string | null
  password: string | null
  createdAt: Date
  updatedAt: Date
}
export type VerificationTable = {
  id: string
  identifier: string
  value: string
  expiresAt: Date
  createdAt: Date
  updatedAt: Date
}
export type OrganizationTable = {
  id: string
  name: string
  slug: string
  logo: string | null
  createdAt: Date
  metadata: Json
  /** Null for the organization of the system admins, which has no daemon. */
  daemon_mode: 'self_hosted' | 'cloud_hosted' | null
}
export type MemberTable = {
  id: string
  organizationId: string
  userId: string
  role: 'admin' | 'member'
  createdAt: Date
}
export type InvitationTable = {
  id: string
  organizationId: string
  email: string
  role: 'admin' | 'member' | null
  status: string
  expiresAt: Date
  createdAt: Date
  inviterId: string
}

/** The authenticator app of a person. Secret and recovery codes are encrypted with the secret of the installation. */
export type TwoFactorTable = {
  id: string
  secret: string
  backupCodes: string
  userId: string
  verified: boolean | null
  failedVerificationCount: number | null
  lockedUntil: Date | null
}
export type PasskeyTable = {
  id: string
  name: string | null
  publicKey: string
  userId: string
  credentialID: string
  counter: number
  deviceType: string
  backedUp: boolean
  transports: string | null
  createdAt: Date | null
  aaguid: string | null
}

/** Codes of authenticator apps that were used, kept for as long as they would still be good. */
export type UsedCodeTable = {
  user_id: string
  code_hash: string
  used_at: Date
}

/** Mailed links that confirm an address. */
export type MailedVerificationTable = {
  secret_hash: string
  user_id: string
  email: string
  expires_at: Date
}

/** Mailed links of a change of address. */
export type EmailChangeTable = {
  secret_hash: string
  kind: 'confirm' | 'undo'
  user_id: string
  old_email: string
  new_email: string
  expires_at: Date
  /** Of a link that undoes: the ids of the ways to sign in that the person had before the change. */
  ways_before: string[] | null
}

/** The names of people who deleted their account, shown in audit entries. */
export type DepartedPersonTable = {
  id: string
  name: string
  departed_at: Date
}

/** Sign-ups whose mailed link is unused. */
export type PendingSignUpTable = {
  link_hash: string
  browser_hash: string
  email: string
  name: string
  password_hash: string
  next: string
  created_at: Date
  expires_at: Date
}

/** A person's settings for how pages look; without a row, those of the system apply. */
export type PreferencesTable = {
  user_id: string
  theme: Theme
}

export type AccountsTables = {
  user: UserTable
  session: SessionTable
  account: AccountTable
  verification: VerificationTable
  twoFactor: TwoFactorTable
  passkey: PasskeyTable
  used_codes: UsedCodeTable
  organization: OrganizationTable
  member: MemberTable
  invitation: InvitationTable
  mailed_verifications: MailedVerificationTable
  email_changes: EmailChangeTable
  departed_people: DepartedPersonTable
  pending_sign_ups: PendingSignUpTable
  preferences: PreferencesTable
}
