import { isIPv6 } from 'node:net'
import { z } from 'zod'
import { flag, integer, longSecretText, MIN_SECRET_LENGTH, port, secretText } from '@svc/shared/kit/env.ts'
import { OrgId } from '@svc/shared/wire/ids.ts'
import { StorageSize } from '@svc/shared/wire/managed-daemon.ts'

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
)
const MIB = 1024 * 1024
/** A public origin: scheme, host and port. */
export const originText = z.url({ protocol: /^https?$/ }).transform((text, context) => {
  const url = new URL(text)
  if (url.pathname !== '/' || url.search || url.hash || url.username)
    context.addIssue({ code: 'custom', message: 'must be an origin: scheme, host and port alone' })
  return url.origin
})

/**
 * An origin with brackets around its IPv6 address. Kubernetes writes the address of a pod without them, and a chart
 * cannot tell its family.
 */
export const bracketed = (origin: string): string =>
  origin.replace(/^(https?:\/\/)([0-9a-f:]+)(:\d+)$/i, (whole, scheme: string, host: string, rest: string) =>
    isIPv6(host) ? `${scheme}[${host}]${rest}` : whole,
  )

const adminTokens = secretText().superRefine((secret, context) => {
  const tokens = secret.reveal().split(',')
  if (tokens.length > 2) context.addIssue({ code: 'custom', message: 'takes one token, or two during a change' })
  if (tokens.some((token) => Buffer.byteLength(token.trim()) < MIN_SECRET_LENGTH))
    context.addIssue({ code: 'custom', message: `each token needs at least ${MIN_SECRET_LENGTH} bytes` })
})

/** Every variable of the control plane; the only list of them. */
export const ControlPlaneEnvironment = z.object({
  BASE_URL: originText.describe(
    'Origin at which people reach the web app and the API, for example https://svc.example.net.',
  ),
  VAULT_ORIGIN_TEMPLATE: z
    .string()
    .optional()
    .describe(
      'Origin of the vaults of one organization, with {label}: https://{label}.vaults.example.net. Needed unless BASE_URL is loopback.',
    ),
  ENVIRONMENT: z
    .enum(['local', 'test', 'staging', 'production'])
    .default('production')
    .describe('Name of the environment. In local and test, hosted organizations need no provisioning code.'),
  SVC_ROLE: z
    .enum(['all', 'web', 'worker', 'mcp'])
    .default('all')
    .describe(
      'What this process does: web serves, worker runs jobs, all does both, mcp serves only the MCP endpoint and its sign-in.',
    ),
  MCP_ENABLED: flag(false).describe(
    'Let agents of members work in vaults through BASE_URL/mcp. Off: this address, OAuth and its well-known addresses answer 404.',
  ),
  MCP_REGISTRATION: z
    .enum(['open', 'off'])
    .default('open')
    .describe(
      'Whether MCP clients may register themselves. off: only clients with a client metadata document connect.',
    ),
  HOST: z.string().default('127.0.0.1').describe('Address to listen on.'),
  PORT: port().default(7380).describe('Port of the API and the web app.'),
  GATEWAY_PORT: port().default(7390).describe('Port of the public vault gateway.'),
  DIAL_IN_PORT: port().default(7391).describe('Port that daemons dial.'),
  INTERNAL_HOST: z.string().default('127.0.0.1').describe('Address of the internal listener; never a public one.'),
  INTERNAL_PORT: port()
    .default(7392)
    .describe('Port of the internal listener: liveness, readiness, metrics, other replicas.'),
  INTERNAL_URL: z
    .string()
    .transform(bracketed)
    .pipe(originText)
    .optional()
    .describe('Address at which other replicas reach this internal listener; default its host and port.'),
  ACCEPTS_PER_SECOND: integer(1, 10_000)
    .default(100)
    .describe(
      'Tunnels that this replica accepts per second. Two seconds’ worth of further tunnels wait; the rest get a time to dial again.',
    ),
  ORG_REQUESTS: integer(1, 100_000)
    .default(512)
    .describe(
      'Requests and live sessions of one organization at a time. A system admin can set each ORG_ limit for one organization.',
    ),
  ORG_BYTES_PER_SECOND: integer(65_536, 100_000_000_000)
    .default(64 * MIB)
    .describe(
      'Average bytes per second of one organization, both directions together. A burst may have 32 seconds’ worth.',
    ),
  ORG_PERSON_PERCENT: integer(1, 100)
    .default(50)
    .describe('Percentage of these bytes that one person or agent may use alone.'),
  ORG_BODY_BYTES: integer(65_536, 2 ** 50)
    .default(16 * 1024 * MIB)
    .describe('Largest body of one request to a vault, such as an upload.'),
  ORG_TUNNELS: integer(1, 4).default(4).describe('Tunnels that the daemon of one organization may hold.'),
  TUNNELS_PER_DAEMON: integer(1, 4)
    .optional()
    .describe('Tunnels that each daemon holds; default 2 with REDIS_URL, else 1.'),
  TRUSTED_PROXIES: list
    .default([])
    .describe('Addresses or CIDR ranges of proxies whose X-Forwarded-For is trusted, separated by commas.'),
  DATABASE_URL: secretText().describe('Postgres address.'),
  DATABASE_OWNER_URL: secretText().optional().describe('Postgres address of the owner of the schema, for migrate and roles; default DATABASE_URL.'), // prettier-ignore
  DATABASE_APP_PASSWORD: secretText().optional().describe('Password that the command roles gives to svc_app.'),
  DATABASE_POOL: integer(2, 200).default(10).describe('Connections to Postgres.'),
  STORE_WAIT_SECONDS: integer(0, 600)
    .default(5)
    .describe('Seconds that a start waits for Postgres, and for Redis, before it gives up.'),
  REDIS_URL: secretText().optional().describe('Redis or Valkey address. Without it: one replica, jobs in Postgres.'),
  AUTH_SECRET: longSecretText().describe('Signs session cookies and seals keys; at least 32 characters.'),
  AUTH_SECRET_PREVIOUS: longSecretText()
    .optional()
    .describe(
      'The value of AUTH_SECRET before a change. What it signed or sealed stays valid, and is signed and sealed again with the new value.',
    ),
  OPERATOR_ORG: OrgId.optional().describe('Organization whose admins are system admins.'),
  SYSTEM_ADMINS_NEED_TWO_FACTOR: flag(false).describe(
    '1: the pages and routes of system admins need two-factor sign-in. The bearer token is not affected.',
  ),
  MANAGED_DAEMON_ADMIN_TOKEN: adminTokens
    .optional()
    .describe(
      'Bearer token for the image route only; during a change the old and the new one, separated by a comma. At least 32 bytes each.',
    ),
  SIGNING_KEY_DAYS: integer(0, 3650)
    .default(90)
    .describe('Age in days at which the keys that sign assertions for daemons are replaced. 0: only by hand.'),
  AUDIT_RETENTION_DAYS: integer(1, 36_500)
    .optional()
    .describe('Days after which audit rows are replaced by a signed row. Unset: all rows are kept.'),
  PROVISIONING_CODE: secretText()
    .optional()
    .describe(
      'Code that people need to create a hosted organization. Unset: nobody can create one, except in local and test.',
    ),
  MANAGED_DAEMON_STORE: z
    .enum(['kubernetes', 'none'])
    .default('kubernetes')
    .describe('Where ManagedDaemon resources live; none: no hosted organizations.'),
  MANAGED_DAEMON_NAMESPACE: z.string().default('svc-daemons').describe('Namespace of the ManagedDaemon resources.'),
  KUBECONFIG: z.string().optional().describe('Kubeconfig file. Without it: the service account of the pod.'),
  DAEMON_IMAGE_REPOSITORY: z
    .string()
    .optional()
    .describe('Allowed host and repository of daemon images, for example registry.example.net/svcd.'),
  DEFAULT_DAEMON_IMAGE: z.string().optional().describe('Image of new hosted daemons, in the allowed repository.'),
  IMAGE_DIGESTS: z
    .enum(['required', 'preferred'])
    .default('required')
    .describe('Whether an image must be named by digest.'),
  IMAGE_REGISTRY_URL: z
    .union([z.literal('none'), originText])
    .optional()
    .describe(
      'Origin at which tags of daemon images are resolved to digests; default https and the host of the image. none: tags are not resolved.',
    ),
  IMAGE_REGISTRY_AUTH_FILE: z
    .string()
    .optional()
    .describe('Docker configuration file with credentials of that registry, such as a mounted pull secret.'),
  IMAGE_REGISTRY_CA_FILE: z
    .string()
    .optional()
    .describe('PEM file of additional certificate authorities for that registry.'),
  DAEMON_STORAGE_SIZE: z.string().default('5Gi').describe('Volume of a new hosted daemon.'),
  DAEMON_STORAGE_MAX_SIZE: StorageSize.optional().describe(
    'Size up to which volumes of hosted daemons grow automatically. Unset: only operations grow them.',
  ),
  DAEMON_STORAGE_GROW_ABOVE: integer(50, 95)
    .default(80)
    .describe('Percentage of a volume in use above which it grows.'),
  DAEMON_STORAGE_CLASS: z.string().optional().describe('Storage class of a new hosted daemon.'),
  DAEMON_CPU: z
    .string()
    .regex(/^(?:[1-9][0-9]{0,6}m|[1-9][0-9]{0,3}(?:\.[0-9]{1,3})?|0\.[0-9]{0,2}[1-9])$/, 'must be like 500m, 2 or 0.5')
    .default('1')
    .describe('CPU limit of a new hosted daemon.'),
  DAEMON_MEMORY: z.string().default('512Mi').describe('Memory of a new hosted daemon.'),
  DAEMON_IDLE_SECONDS: integer(0, 604_800)
    .default(1800)
    .describe(
      'Seconds without use after which a hosted daemon sleeps, unless its organization sets another time. 0: never.',
    ),
  BACKUP_BUCKET: z
    .string()
    .optional()
    .describe('Bucket for the backups of hosted daemons, in S3 or a compatible storage. Unset: no backups are taken.'),
  BACKUP_ENDPOINT: originText.optional().describe('Origin of that storage; default Amazon S3 of the region.'),
  BACKUP_REGION: z.string().default('us-east-1').describe('Region of the bucket.'),
  BACKUP_ACCESS_KEY_ID: z.string().optional().describe('Access key for the bucket. Unset: the role of the pod.'),
  BACKUP_SECRET_ACCESS_KEY: secretText().optional().describe('Secret of that access key.'),
  BACKUP_KEY: longSecretText()
    .optional()
    .describe('Seals all backups; at least 32 characters. Keep a copy elsewhere: without it no backup can be read.'),
  BACKUP_EVERY_SECONDS: integer(0, 2_592_000)
    .default(86_400)
    .describe('Seconds between the backups of a hosted daemon, unless its organization sets another time. 0: none.'),
  BACKUP_KEEP: integer(1, 1000).default(14).describe('Number of newest backups that are kept of each hosted daemon.'),
  BACKUP_KEEP_DELETED_DAYS: integer(1, 3650)
    .default(30)
    .describe('Days after the deletion of an organization after which its backups are deleted.'),
  BACKUP_DRILL_SECONDS: integer(3600, 31_536_000)
    .default(604_800)
    .describe(
      'Age of the last drill in seconds above which the newest backup is restored into a temporary daemon and compared.',
    ),
  RELAY_URL: originText.optional().describe('Origin that self-hosted daemons dial; default BASE_URL.'),
  RELAY_INTERNAL_URL: originText.optional().describe('Origin that hosted daemons dial; default BASE_URL.'),
  SMTP_URL: secretText().optional().describe('Mail server: smtp://user:password@host:port or smtps://…'),
  MAIL_FROM: z.string().default('svc <no-reply@localhost>').describe('Sender of mails.'),
  GOOGLE_CLIENT_ID: z.string().optional().describe('Client id for sign-in with Google.'),
  GOOGLE_CLIENT_SECRET: secretText().optional().describe('Secret of that client.'),
  OIDC_NAME: z.string().default('Single sign-on').describe('Name of the OpenID Connect provider, as people see it.'),
  OIDC_ISSUER: z.url().optional().describe('Issuer of the OpenID Connect provider.'),
  OIDC_CLIENT_ID: z.string().optional().describe('Client id at that provider.'),
  OIDC_CLIENT_SECRET: secretText().optional().describe('Secret of that client.'),
  OIDC_EMAIL_DOMAINS: list
    .default([])
    .describe('Email domains that this provider is trusted to verify, separated by commas.'),
  DAEMON_PUBLIC_IMAGE: z
    .string()
    .regex(/^[^\s'"$\\]{1,500}$/, 'must be an image reference')
    .optional()
    .describe(
      'Image of svcd that customers can pull; the web app then shows how to run it in containers and on Kubernetes.',
    ),
  DOWNLOAD_ROOT: z.string().optional().describe('Folder of the packed daemon; default control-plane/dist/download.'),
  WEB_ROOT: z.string().optional().describe('Folder of the built web app; default control-plane/dist/web.'),
  METRICS_PUBLIC: flag(false).describe('Serve /metrics on the API listener too.'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Lowest level that is logged.'),
})
