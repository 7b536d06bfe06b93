// Longer than other files: one table of every variable that the process reads, each with its explanation.
import { z } from 'zod'
import {
  describeEnvironment,
  flag,
  integer,
  longSecretText,
  MIN_SECRET_LENGTH,
  port,
  readEnvironment,
  secretText,
} from '@svc/shared/kit/env.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'
import { OrgId } from '@svc/shared/wire/ids.ts'
import { StorageSize } from '@svc/shared/wire/managed-daemon.ts'

const LABEL = '{label}'
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/** True for an address that only this machine reaches. */
export const isLoopbackOrigin = (origin: string): boolean => LOOPBACK.has(new URL(origin).hostname)

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
)
const origin = z.url({ protocol: /^https?$/ }).transform((text, context) => {
  const url = new URL(text)
  if (url.pathname !== '/' || url.search || url.hash || url.username)
    context.addIssue({ code: 'custom', message: 'must be an origin: scheme, host and port alone' })
  return url.origin
})
const adminTokens = secretText().superRefine((secret, context) => {
  const tokens = secret.reveal().split(',')
  if (tokens.length > 2) context.addIssue({ code: 'custom', message: 'takes one token, or two during a change' })
  if (tokens.some((token) => Buffer.byteLength(token.trim()) < MIN_SECRET_LENGTH))
    context.addIssue({ code: 'custom', message: `each token needs at least ${MIN_SECRET_LENGTH} bytes` })
})

/** Every variable of the control plane; the only list of them. */
export const ControlPlaneEnvironment = z.object({
  BASE_URL: origin.describe(
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
    .describe('What this process does: serve, work, both, or serve the MCP endpoint and its sign-in alone.'),
  MCP_ENABLED: flag(false).describe(
    'Let agents of members work in vaults through BASE_URL/mcp. Off: that address, OAuth and its well-known addresses are not there.',
  ),
  MCP_REGISTRATION: z
    .enum(['open', 'off'])
    .default('open')
    .describe('Whether MCP clients may register themselves; off: only those with a client metadata document connect.'),
  HOST: z.string().default('127.0.0.1').describe('Address to listen on.'),
  PORT: port().default(7380).describe('Port of the API and the web app.'),
  GATEWAY_PORT: port().default(7390).describe('Port of the public vault gateway.'),
  DIAL_IN_PORT: port().default(7391).describe('Port that daemons dial.'),
  INTERNAL_HOST: z.string().default('127.0.0.1').describe('Address of the internal listener; never a public one.'),
  INTERNAL_PORT: port()
    .default(7392)
    .describe('Port of the internal listener: liveness, readiness, metrics, other replicas.'),
  INTERNAL_URL: origin
    .optional()
    .describe('Address at which other replicas reach this internal listener; default its host and port.'),
  ACCEPTS_PER_SECOND: integer(1, 10_000)
    .default(100)
    .describe('Tunnels that this replica accepts per second; the others are told when to come.'),
  TUNNELS_PER_DAEMON: integer(1, 4)
    .optional()
    .describe('Tunnels that each daemon holds; default 2 with REDIS_URL, else 1.'),
  TRUSTED_PROXIES: list
    .default([])
    .describe('Addresses or CIDR ranges of proxies whose X-Forwarded-For is believed, by comma.'),
  DATABASE_URL: secretText().describe('Postgres address.'),
  DATABASE_OWNER_URL: secretText().optional().describe('Postgres address of the owner of the schema, for migrate and roles; default DATABASE_URL.'), // prettier-ignore
  DATABASE_APP_PASSWORD: secretText().optional().describe('Password that roles gives to svc_app.'),
  DATABASE_POOL: integer(2, 200).default(10).describe('Connections to Postgres.'),
  REDIS_URL: secretText().optional().describe('Redis or Valkey address. Without it: one replica, jobs in Postgres.'),
  AUTH_SECRET: longSecretText().describe('Signs session cookies and seals keys; at least 32 characters.'),
  AUTH_SECRET_PREVIOUS: longSecretText()
    .optional()
    .describe(
      'The value of AUTH_SECRET before a change: what it signed or sealed stays good, and is signed and sealed anew.',
    ),
  OPERATOR_ORG: OrgId.optional().describe('Organization whose admins are system admins.'),
  MANAGED_DAEMON_ADMIN_TOKEN: adminTokens
    .optional()
    .describe('Bearer token of the image route alone; two by comma during a change, at least 32 bytes each.'),
  AUDIT_RETENTION_DAYS: integer(1, 36_500)
    .optional()
    .describe('Audit rows older than this are replaced by a signed row. Unset: all are kept.'),
  PROVISIONING_CODE: secretText()
    .optional()
    .describe('Code that creating a hosted organization needs. Unset: nobody may, outside local and test.'),
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
    .union([z.literal('none'), origin])
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
    .describe('PEM file of authorities that may vouch for that registry, beyond the known ones.'),
  DAEMON_STORAGE_SIZE: z.string().default('5Gi').describe('Volume of a new hosted daemon.'),
  DAEMON_STORAGE_MAX_SIZE: StorageSize.optional().describe(
    'Volumes of hosted daemons grow by themselves up to this; unset: by operations alone.',
  ),
  DAEMON_STORAGE_GROW_ABOVE: integer(50, 95).default(80).describe('Use of a volume in percent that makes it grow.'),
  DAEMON_STORAGE_CLASS: z.string().optional().describe('Storage class of a new hosted daemon.'),
  DAEMON_CPU: z.string().default('500m').describe('CPU of a new hosted daemon.'),
  DAEMON_MEMORY: z.string().default('512Mi').describe('Memory of a new hosted daemon.'),
  DAEMON_IDLE_SECONDS: integer(0, 604_800)
    .default(1800)
    .describe(
      'Seconds without use after which a hosted daemon sleeps, where its organization says nothing else; 0: never.',
    ),
  RELAY_URL: origin.optional().describe('Origin that self-hosted daemons dial; default BASE_URL.'),
  RELAY_INTERNAL_URL: origin.optional().describe('Origin that hosted daemons dial; default BASE_URL.'),
  SMTP_URL: secretText().optional().describe('Mail server: smtp://user:password@host:port or smtps://…'),
  MAIL_FROM: z.string().default('svc <no-reply@localhost>').describe('Sender of mails.'),
  GOOGLE_CLIENT_ID: z.string().optional().describe('Client of sign-in with Google.'),
  GOOGLE_CLIENT_SECRET: secretText().optional().describe('Secret of that client.'),
  OIDC_NAME: z.string().default('Single sign-on').describe('Name of the OpenID Connect provider, as people see it.'),
  OIDC_ISSUER: z.url().optional().describe('Issuer of the OpenID Connect provider.'),
  OIDC_CLIENT_ID: z.string().optional().describe('Client at that provider.'),
  OIDC_CLIENT_SECRET: secretText().optional().describe('Secret of that client.'),
  OIDC_EMAIL_DOMAINS: list
    .default([])
    .describe('Domains whose addresses that provider is believed to verify, by comma.'),
  DAEMON_PUBLIC_IMAGE: z
    .string()
    .regex(/^[^\s'"$\\]{1,500}$/, 'must be an image reference')
    .optional()
    .describe(
      'Image of svcd that customers can pull; the web app then shows how to run it in containers and on Kubernetes.',
    ),
  DOWNLOAD_ROOT: z.string().optional().describe('Folder of the packed daemon; default control-plane/dist/download.'),
  WEB_ROOT: z.string().optional().describe('Folder of the built web app; default control-plane/dist/web.'),
  METRICS_PUBLIC: flag(false).describe('Answer /metrics at the API listener too.'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Least level logged.'),
})

type Values = z.output<typeof ControlPlaneEnvironment>
type Problem = { path: keyof Values; message: string }

const pairs = [
  ['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET'],
  ['OIDC_ISSUER', 'OIDC_CLIENT_ID'],
  ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'],
  ['OIDC_CLIENT_SECRET', 'OIDC_ISSUER'],
] as const

function problemsOf(values: Values): Problem[] {
  const problems: Problem[] = pairs
    .filter(([given, needed]) => values[given] !== undefined && values[needed] === undefined)
    .map(([given, needed]) => ({ path: needed, message: `must be set together with ${given}` }))

  const template = values.VAULT_ORIGIN_TEMPLATE
  if (template === undefined && !isLoopbackOrigin(values.BASE_URL))
    problems.push({ path: 'VAULT_ORIGIN_TEMPLATE', message: 'is needed because BASE_URL is not loopback' })
  if (template !== undefined && !isVaultTemplate(template))
    problems.push({ path: 'VAULT_ORIGIN_TEMPLATE', message: 'must be an origin whose first label is {label}' })
  if (values.BASE_URL.startsWith('http:') && !isLoopbackOrigin(values.BASE_URL))
    problems.push({ path: 'BASE_URL', message: 'must be https unless it is loopback' })
  if (values.RELAY_URL?.startsWith('http:') === true && !isLoopbackOrigin(values.RELAY_URL))
    problems.push({ path: 'RELAY_URL', message: 'must be https unless it is loopback' })
  if (values.SMTP_URL === undefined && !isLoopbackOrigin(values.BASE_URL))
    problems.push({ path: 'SMTP_URL', message: 'is needed because BASE_URL is not loopback' })
  if (values.SVC_ROLE === 'mcp' && !values.MCP_ENABLED)
    problems.push({ path: 'MCP_ENABLED', message: 'must be 1 where SVC_ROLE is mcp' })
  if (values.REDIS_URL !== undefined && values.INTERNAL_URL === undefined && isEveryAddress(values.INTERNAL_HOST))
    problems.push({ path: 'INTERNAL_URL', message: 'is needed with REDIS_URL because INTERNAL_HOST is every address' })
  if (values.DEFAULT_DAEMON_IMAGE !== undefined && values.DAEMON_IMAGE_REPOSITORY === undefined)
    problems.push({ path: 'DAEMON_IMAGE_REPOSITORY', message: 'must be set together with DEFAULT_DAEMON_IMAGE' })
  const { DEFAULT_DAEMON_IMAGE: image = '@', IMAGE_DIGESTS: digests, IMAGE_REGISTRY_URL: registry } = values
  if (!image.includes('@') && digests === 'required' && registry === 'none')
    problems.push({ path: 'DEFAULT_DAEMON_IMAGE', message: 'must name a digest, or IMAGE_REGISTRY_URL a registry' })
  return problems
}

const isEveryAddress = (host: string) => ['0.0.0.0', '::', '[::]'].includes(host)

function isVaultTemplate(template: string): boolean {
  const parsed = origin.safeParse(template.replace(LABEL, 'label'))
  return (
    parsed.success && parsed.data === template.replace(LABEL, 'label') && new URL(parsed.data).host.startsWith('label.')
  )
}

const Checked = ControlPlaneEnvironment.superRefine((values, context) => {
  for (const { path, message } of problemsOf(values)) context.addIssue({ code: 'custom', path: [path], message })
})

/** The variables with defaults and meanings, for `--help` and the documentation. */
export const describeConfig = (): string => describeEnvironment(ControlPlaneEnvironment)

/** The configuration of a control-plane process, read once and frozen. */
export type Config = ReturnType<typeof readConfig>

/** True for a process that daemons dial. */
export const takesTunnels = (role: Config['role']): boolean => role === 'all' || role === 'web'

/** True for a process that works off jobs. */
export const worksOffJobs = (role: Config['role']): boolean => role === 'all' || role === 'worker'

/** Reads the environment; throws a ConfigurationError that names every problem. */
export function readConfig(env: Record<string, string | undefined> = process.env) {
  const values = readEnvironment(Checked, env)
  const base = new URL(values.BASE_URL)

  return Object.freeze({
    environment: values.ENVIRONMENT,
    role: values.SVC_ROLE,
    mcp: { enabled: values.MCP_ENABLED, registration: values.MCP_REGISTRATION },
    baseUrl: values.BASE_URL,
    relayUrl: values.RELAY_URL ?? values.BASE_URL,
    vaultOriginTemplate: values.VAULT_ORIGIN_TEMPLATE ?? `http://${LABEL}.localhost:${base.port || '80'}`,
    listeners: {
      api: { host: values.HOST, port: values.PORT },
      gateway: { host: values.HOST, port: values.GATEWAY_PORT },
      dialIn: { host: values.HOST, port: values.DIAL_IN_PORT },
      internal: {
        host: values.INTERNAL_HOST,
        port: values.INTERNAL_PORT,
        url: values.INTERNAL_URL ?? `http://${values.INTERNAL_HOST}:${values.INTERNAL_PORT}`,
      },
    },
    relay: { acceptsPerSecond: values.ACCEPTS_PER_SECOND, tunnelsPerDaemon: values.TUNNELS_PER_DAEMON },
    trustedProxies: values.TRUSTED_PROXIES,
    databaseUrl: values.DATABASE_URL,
    databaseOwnerUrl: values.DATABASE_OWNER_URL ?? values.DATABASE_URL,
    databaseAppPassword: values.DATABASE_APP_PASSWORD,
    databasePool: values.DATABASE_POOL,
    redisUrl: values.REDIS_URL,
    authSecret: values.AUTH_SECRET,
    authSecretPrevious: values.AUTH_SECRET_PREVIOUS,
    operatorOrg: values.OPERATOR_ORG,
    adminToken: values.MANAGED_DAEMON_ADMIN_TOKEN,
    auditRetentionDays: values.AUDIT_RETENTION_DAYS,
    provisioningCode: values.PROVISIONING_CODE,
    managedDaemons: {
      store: values.MANAGED_DAEMON_STORE,
      namespace: values.MANAGED_DAEMON_NAMESPACE,
      kubeconfig: values.KUBECONFIG,
      repository: values.DAEMON_IMAGE_REPOSITORY,
      image: values.DEFAULT_DAEMON_IMAGE,
      digests: values.IMAGE_DIGESTS,
      registry: {
        url: values.IMAGE_REGISTRY_URL,
        authFile: values.IMAGE_REGISTRY_AUTH_FILE,
        caFile: values.IMAGE_REGISTRY_CA_FILE,
      },
      storage: {
        size: values.DAEMON_STORAGE_SIZE,
        className: values.DAEMON_STORAGE_CLASS,
        growth: { maxSize: values.DAEMON_STORAGE_MAX_SIZE, abovePercent: values.DAEMON_STORAGE_GROW_ABOVE },
      },
      resources: { cpu: values.DAEMON_CPU, memory: values.DAEMON_MEMORY },
      idleSeconds: values.DAEMON_IDLE_SECONDS,
      relayUrl: values.RELAY_INTERNAL_URL ?? values.BASE_URL,
    },
    mail: { smtp: values.SMTP_URL, from: values.MAIL_FROM },
    google: credentials(values.GOOGLE_CLIENT_ID, values.GOOGLE_CLIENT_SECRET),
    oidc:
      values.OIDC_ISSUER === undefined
        ? undefined
        : {
            ...credentials(values.OIDC_CLIENT_ID, values.OIDC_CLIENT_SECRET)!,
            name: values.OIDC_NAME,
            issuer: values.OIDC_ISSUER,
            emailDomains: values.OIDC_EMAIL_DOMAINS,
          },
    webRoot: values.WEB_ROOT,
    downloads: { root: values.DOWNLOAD_ROOT, image: values.DAEMON_PUBLIC_IMAGE },
    metricsPublic: values.METRICS_PUBLIC,
    logLevel: values.LOG_LEVEL,
  })
}

const credentials = (clientId: string | undefined, clientSecret: Secret | undefined) =>
  clientId === undefined || clientSecret === undefined ? undefined : { clientId, clientSecret }
