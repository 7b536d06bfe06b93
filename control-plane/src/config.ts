import { describeEnvironment, readEnvironment } from '@svc/shared/kit/env.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'
import { LABEL, problemsOf } from './config-rules.ts'
import { bracketed, ControlPlaneEnvironment } from './config-variables.ts'

const Checked = ControlPlaneEnvironment.superRefine((values, context) => {
  for (const { path, message } of problemsOf(values)) context.addIssue({ code: 'custom', path: [path], message })
})

/** The variables with their defaults and meanings, for `--help` and the documentation. */
export const describeConfig = (): string => describeEnvironment(ControlPlaneEnvironment)

/** The configuration of a control-plane process, read once and frozen. */
export type Config = ReturnType<typeof readConfig>

/** True for a process that accepts tunnels of daemons. */
export const takesTunnels = (role: Config['role']): boolean => role === 'all' || role === 'web'

/** True for a process that runs jobs. */
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
        url: values.INTERNAL_URL ?? bracketed(`http://${values.INTERNAL_HOST}:${values.INTERNAL_PORT}`),
      },
    },
    relay: { acceptsPerSecond: values.ACCEPTS_PER_SECOND, tunnelsPerDaemon: values.TUNNELS_PER_DAEMON },
    limits: {
      requests: values.ORG_REQUESTS,
      bytesPerSecond: values.ORG_BYTES_PER_SECOND,
      personPercent: values.ORG_PERSON_PERCENT,
      bodyBytes: values.ORG_BODY_BYTES,
      tunnels: values.ORG_TUNNELS,
      storageMaxSize: values.DAEMON_STORAGE_MAX_SIZE ?? null,
    },
    trustedProxies: values.TRUSTED_PROXIES,
    databaseUrl: values.DATABASE_URL,
    databaseOwnerUrl: values.DATABASE_OWNER_URL ?? values.DATABASE_URL,
    databaseAppPassword: values.DATABASE_APP_PASSWORD,
    databasePool: values.DATABASE_POOL,
    storeWaitMs: values.STORE_WAIT_SECONDS * 1_000,
    redisUrl: values.REDIS_URL,
    authSecret: values.AUTH_SECRET,
    authSecretPrevious: values.AUTH_SECRET_PREVIOUS,
    operatorOrg: values.OPERATOR_ORG,
    systemAdminsNeedTwoFactor: values.SYSTEM_ADMINS_NEED_TWO_FACTOR,
    adminToken: values.MANAGED_DAEMON_ADMIN_TOKEN,
    auditRetentionDays: values.AUDIT_RETENTION_DAYS,
    signingKeyDays: values.SIGNING_KEY_DAYS,
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
    backups:
      values.BACKUP_BUCKET === undefined || values.BACKUP_KEY === undefined
        ? undefined
        : {
            bucket: values.BACKUP_BUCKET,
            endpoint: values.BACKUP_ENDPOINT,
            region: values.BACKUP_REGION,
            accessKeyId: values.BACKUP_ACCESS_KEY_ID,
            secretAccessKey: values.BACKUP_SECRET_ACCESS_KEY,
            key: values.BACKUP_KEY,
            everySeconds: values.BACKUP_EVERY_SECONDS,
            keep: values.BACKUP_KEEP,
            drillSeconds: values.BACKUP_DRILL_SECONDS,
            keepDeletedDays: values.BACKUP_KEEP_DELETED_DAYS,
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
