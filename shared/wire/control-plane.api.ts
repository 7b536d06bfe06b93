import { BackupState } from './backups.api.ts'
import { z } from 'zod'
import { Role } from './assertions.ts'
import { vaultActivity } from './daemon/daemon-news.api.ts'
import { InvitationId, OrgId, Slug, UserId } from './ids.ts'
import { Condition, desiredStates, observedStates } from './managed-daemon.ts'
import { Theme } from './person.api.ts'
import { text, webUrl } from './text.ts'

/**
 * Request and response schemas of the control plane. All our responses carry `ok: true`; failures are in error-body.ts.
 */

const ok = z.literal(true)
const time = z.iso.datetime()

export const DaemonMode = z.enum(['self_hosted', 'cloud_hosted'])
export type DaemonMode = z.infer<typeof DaemonMode>

export const Health = z.object({ ok, service: z.literal('svc-control-plane'), environment: z.string() })
/** 503 and `ok: false` while the schema is older than the program, or during shutdown. */
export const Ready = z.object({ ok: z.boolean() })
export const OrgParams = z.object({ orgId: OrgId })
export const OrgSlugParams = z.object({ orgSlug: Slug })

export const Member = z.object({ id: z.string(), userId: UserId, name: z.string(), email: z.string(), role: Role })
export const OrganizationView = z.object({
  id: OrgId,
  slug: z.string(),
  name: z.string(),
  role: Role,
  daemonMode: DaemonMode.optional(),
  members: z.array(Member),
  invitations: z
    .array(z.object({ id: z.string(), email: z.string(), role: Role, expiresAt: time }))
    .optional()
    .describe('Pending invitations; admins only.'),
  autoAdmit: z.object({ enabled: z.boolean(), domain: z.string().optional() }).optional(),
})
export const Profile = z.object({
  id: UserId,
  name: z.string(),
  email: z.string(),
  emailVerified: z.boolean().describe('Invitations and admission by domain need a verified address.'),
  image: z.string().nullable(),
})
export const AdmissionOffer = z.object({
  organization: z.object({ id: OrgId, slug: z.string(), name: z.string() }),
  domain: z.string(),
})
export const Settings = z.object({
  ok,
  profile: Profile,
  organizations: z.array(OrganizationView),
  admissionOffers: z
    .array(AdmissionOffer)
    .describe('Organizations that admit people of this domain but run their own daemon: joining asks first.'),
  systemAdmin: z.boolean(),
  theme: Theme.describe('The same in the app and in every vault.'),
  signIn: z
    .object({
      password: z.boolean(),
      twoFactor: z.boolean(),
      recoveryCodesLeft: z.int().nullable().describe('Null without an authenticator app.'),
    })
    .describe('How the person signs in: with a password of their own, and with a code of an authenticator app.'),
})
export const UpdateProfileRequest = z.strictObject({
  name: text().trim().min(1).max(100).optional(),
  image: webUrl().max(2048).nullable().optional(),
})
export const ProfileUpdated = z.object({ ok, profile: Profile })

export const AutoAdmitRequest = z.strictObject({ enabled: z.boolean() })
export const AutoAdmitResult = z.object({
  ok,
  autoAdmit: z.object({ enabled: z.boolean(), domain: z.string().optional() }),
})
export const AnswerOfferRequest = z.strictObject({ accept: z.boolean() })
export const DeleteOrganizationRequest = z.strictObject({ name: text() })
export const Done = z.object({ ok })

export const InvitationParams = z.object({ invitationId: InvitationId })
export const OrgInvitationParams = OrgParams.extend({ invitationId: InvitationId })
/** The token is the fragment of the invitation's link. */
export const InvitationToken = z.strictObject({ token: text().min(16).max(100) })
export const InvitationPreview = z.object({
  ok,
  invitation: z.object({
    organization: z.object({ name: z.string() }),
    inviter: z.object({ name: z.string() }),
    email: z.string(),
    role: Role,
    expiresAt: time,
    proven: z.boolean().describe('The link came by mail, so the address needs no other confirmation.'),
    hasAccount: z.boolean().optional().describe('The address has a confirmed account; only where `proven`.'),
  }),
})
export const InvitedAccountRequest = InvitationToken.extend({
  name: text().trim().min(1).max(100),
  password: text().min(8).max(128),
})
export const InvitationLink = z.object({ ok, link: z.url(), expiresAt: time })

export const CreateOrganizationRequest = z.strictObject({
  name: text().trim().min(1).max(100),
  slug: Slug.optional(),
})
const OrganizationSummary = z.object({ id: OrgId, slug: z.string(), name: z.string(), daemonMode: DaemonMode })
/** `relayUrl` is the value of SVC_RELAY_URL; `apiKey` (SVC_RELAY_TOKEN) is shown only this once. */
export const SelfHostedCreated = z.object({
  ok,
  organization: OrganizationSummary,
  apiKey: z.string(),
  daemonId: z.string(),
  relayUrl: z.string(),
})
export const CreateHostedRequest = CreateOrganizationRequest.extend({
  provisioningCode: text().max(200).optional(),
})
export const HostedCreated = z.object({ ok, organization: OrganizationSummary })

/** `apiKey` is masked (svc_dmn_… and the last 4 characters) in reads, plain once when issued or rotated. */
export const MaskedKey = z.object({
  ok,
  key: z.object({ apiKey: z.string(), daemonId: z.string(), createdAt: time, lastUsedAt: time.nullable() }).nullable(),
  relayUrl: z.string(),
})
export const RotateKeyRequest = z.strictObject({ immediate: z.boolean().default(false) }).default({ immediate: false })
export const IssuedKey = z.object({
  ok,
  apiKey: z.string(),
  daemonId: z.string(),
  relayUrl: z.string(),
  oldKeyWorksUntil: time
    .nullable()
    .describe('Until then, or until the new key connects, the old key works too; null: no old key works.'),
})
export const RelayRegistrationRequest = z.strictObject({ name: text().trim().min(1).max(100) })
export const RelayRegistration = z.object({ ok, apiKey: z.string(), daemonId: z.string() })

export const DaemonControlStatus = z.object({
  ok,
  daemon: z.object({
    connected: z.boolean(),
    tunnels: z.number().int(),
    version: z.string().optional(),
    connectedSince: time.optional(),
    lastSeenAt: time.nullable(),
    instanceConflict: z.boolean(),
  }),
})

/** A vault as its daemon reports it; fields that the daemon does not send are missing. */
const VaultEntryView = z.object({ id: z.string(), displayName: z.string(), slug: z.string(), ...vaultActivity })
/** One group per organization: its vaults, or why they cannot be listed. */
export const OrganizationVaults = z.object({
  orgId: OrgId,
  orgSlug: z.string(),
  orgName: z.string(),
  daemonMode: DaemonMode,
  state: z.enum(['available', 'offline', 'sleeping', 'starting', 'failed']),
  vaults: z.array(VaultEntryView),
})
export const VaultsByOrganization = z.object({ ok, organizations: z.array(OrganizationVaults) })
export const CreateHostedVaultRequest = z.strictObject({ displayName: text().trim().min(1).max(200), slug: Slug })
export const HostedVaultCreated = z.object({ ok, vault: z.object({ id: z.string(), displayName: z.string() }) })

export const EntryParams = z.object({ orgSlug: Slug, vaultSlug: text().min(1).max(255) })
export const EntryMinted = z.object({
  ok,
  entry: z.object({ url: z.url(), assertion: z.string(), expiresAt: time }),
})

export const IdleSleep = z.object({
  seconds: z.number().int().min(0).describe('Seconds without use after which the daemon sleeps; 0: never.'),
  from: z.enum(['organization', 'platform']).describe('Whose setting it is.'),
})
const WEEK_SECONDS = 7 * 24 * 3600
export const IdleSleepRequest = z.strictObject({
  seconds: z
    .number()
    .int()
    .max(WEEK_SECONDS)
    .refine((seconds) => seconds === 0 || seconds >= 60, 'must be 0 (never) or at least 60')
    .nullable()
    .describe('Null: the setting of the platform.'),
})
export const IdleSleepResult = z.object({ ok, idleSleep: IdleSleep })

export const HostedStatus = z.object({
  ok,
  status: z.object({
    desiredState: z.enum(desiredStates),
    observedState: z.enum(observedStates),
    image: z.string().optional(),
    version: z.string().optional(),
    conditions: z.array(Condition),
    relay: z.object({ connected: z.boolean() }),
    idleSleep: IdleSleep,
    backup: BackupState.optional().describe('Absent where the platform has no backup storage.'),
    storage: z.object({ capacityBytes: z.number(), usedBytes: z.number() }).optional(),
    operation: z.object({ id: z.string(), outcome: z.string(), reason: z.string().optional() }).optional(),
  }),
})
export const AdminStatus = z.object({
  ok,
  systemAdmin: z.literal(true),
  operatorOrg: OrgId,
  workspaceDomains: z.array(z.string()),
})
/** What the web app may know before sign-in. */
export const AppConfig = z.object({
  ok,
  environment: z.string(),
  providers: z.array(z.object({ id: z.string(), name: z.string() })),
  hosted: z.boolean().describe('Whether this platform runs daemons for organizations.'),
  provisioningCodeRequired: z.boolean(),
  agents: z.boolean().describe('Whether programs of members may connect here.'),
  outboxUrl: z.string().optional(),
})

const Download = z.object({
  url: z.url(),
  file: z.string(),
  version: z.string(),
  sha256: z.string().describe('Of the whole file, in hexadecimal digits.'),
  bytes: z.number().int(),
})
/** How a customer gets svcd; null where this installation does not offer it. */
export const Downloads = z.object({
  ok,
  daemon: Download.nullable().describe('An npm package without dependencies.'),
  chart: Download.nullable().describe('The Helm chart of a self-hosted daemon.'),
  image: z.string().nullable().describe('A container image that customers can pull.'),
})

/** The token is the fragment of the setup link. */
export const ClaimSetupRequest = z.strictObject({ token: text().min(16).max(100) })
