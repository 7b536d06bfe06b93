import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { ConfigurationError } from '@svc/shared/kit/configuration-error.ts'
import { describeEnvironment, flag, integer, longSecretText, readEnvironment, secretText } from '@svc/shared/kit/env.ts'

const repository = dirname(dirname(fileURLToPath(import.meta.url)))

/** Every variable of the embedded platform. */
const EmbeddedEnvironment = z.object({
  PORT: integer(1, 65_535).default(7380).describe('The one port of control plane and vault origins.'),
  SVC_DATA: z.string().default('.data').describe('Folder of all state: database, managed daemons, secrets.'),
  DATABASE_URL: secretText().optional().describe('Your own Postgres instead of the embedded one.'),
  AUTH_SECRET: longSecretText()
    .optional()
    .describe('Signs session cookies and seals keys. Replaces the secret in SVC_DATA/secrets.json and is saved there.'),
  AUTH_SECRET_PREVIOUS: longSecretText()
    .optional()
    .describe('The secret before a change of AUTH_SECRET. What it signed or sealed stays valid.'),
  REDIS_URL: secretText().optional().describe('Your own Redis or Valkey for jobs, tunnel directory and limits.'),
  SMTP_URL: secretText().optional().describe('A mail server instead of the outbox page.'),
  DAEMON_IDLE_SECONDS: integer(0, 604_800)
    .default(1800)
    .describe('Seconds without use after which a hosted daemon sleeps; 0: never.'),
  MCP_ENABLED: flag(false).describe('Let agents of members work in vaults through /mcp, after sign-in and approval.'),
  BACKUP_BUCKET: z
    .string()
    .optional()
    .describe('Bucket for the backups of hosted daemons, in S3 or a compatible storage.'),
  BACKUP_ENDPOINT: z.url().optional().describe('Origin of that storage; default Amazon S3 of the region.'),
  BACKUP_REGION: z.string().default('us-east-1').describe('Region of the bucket.'),
  BACKUP_ACCESS_KEY_ID: z.string().optional().describe('Access key of the bucket.'),
  BACKUP_SECRET_ACCESS_KEY: secretText().optional().describe('Secret of that access key.'),
  BACKUP_KEY: longSecretText()
    .optional()
    .describe('Seals all backups. Replaces the key in SVC_DATA/secrets.json and is saved there.'),
  BACKUP_EVERY_SECONDS: integer(0, 2_592_000)
    .default(86_400)
    .describe('Seconds between the backups of a hosted daemon. 0: no automatic backups.'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('warn')
    .describe('Lowest level that is written to the terminal. The log file in SVC_DATA has info and above.'),
})

/** Text of `npm start -- --help`. */
export const help = () => `npm start [-- OPTIONS] runs the whole platform in one process and prints where to open it.

Options
  --port N     port to listen on (PORT)
  --data DIR   folder of all state (SVC_DATA)
  --adopt [ID] take over a database whose data folder is gone or was moved; ID where there are several
  --reset      list all state of this installation, ask, delete it, and begin anew
  --yes        delete without asking
  --help       this text

Environment
${describeEnvironment(EmbeddedEnvironment)}

State survives a restart and a move of the clone. Ctrl-C flushes and stops every part. A start that finds only a part
of its state changes nothing and says what is missing. As root, a database that its user could not reach below the data
folder lies in /var/lib/svc-platform. See also: npm run backup, restore and state, each with --help.
Managed daemons run as child processes of one user here: this mode does not isolate organizations from each other.`

/** The settings of the embedded platform: arguments take precedence over the environment. */
export type EmbeddedConfig = ReturnType<typeof readEmbeddedConfig>

/** Reads arguments and environment; throws a ConfigurationError that names every problem. */
export function readEmbeddedConfig(args: string[], env: Record<string, string | undefined> = process.env) {
  const options = readOptions(args)
  const values = readEnvironment(EmbeddedEnvironment, {
    ...env,
    ...(options.port === undefined ? {} : { PORT: options.port }),
    ...(options.data === undefined ? {} : { SVC_DATA: options.data }),
  })
  return Object.freeze({
    order: orderOf(options),
    sure: options.yes === true,
    port: values.PORT,
    dataDir: resolve(repository, values.SVC_DATA),
    databaseUrl: values.DATABASE_URL,
    authSecret: values.AUTH_SECRET,
    authSecretPrevious: values.AUTH_SECRET_PREVIOUS,
    redisUrl: values.REDIS_URL,
    smtpUrl: values.SMTP_URL,
    daemonIdleSeconds: values.DAEMON_IDLE_SECONDS,
    mcpEnabled: values.MCP_ENABLED,
    backups:
      values.BACKUP_BUCKET === undefined
        ? undefined
        : {
            bucket: values.BACKUP_BUCKET,
            endpoint: values.BACKUP_ENDPOINT,
            region: values.BACKUP_REGION,
            accessKeyId: values.BACKUP_ACCESS_KEY_ID,
            secretAccessKey: values.BACKUP_SECRET_ACCESS_KEY,
            everySeconds: values.BACKUP_EVERY_SECONDS,
          },
    backupKey: values.BACKUP_KEY,
    logLevel: values.LOG_LEVEL,
    bundleDir: resolve(repository, 'daemon/dist/bundle'),
    webRoot: resolve(repository, 'control-plane/dist/web'),
  })
}

type Given = ReturnType<typeof readOptions>

/** What the command line asks for. */
export type StartOrder =
  { kind: 'help' } | { kind: 'start' } | { kind: 'reset' } | { kind: 'adopt'; id: string | undefined }

function orderOf({ help: helpAsked, adopt, reset, id }: Given): StartOrder {
  if (helpAsked) return { kind: 'help' }
  if (adopt && reset) throw wrongUse('--adopt and --reset exclude each other.')
  if (id !== undefined && !adopt) throw wrongUse(`Unexpected argument '${id}'.`)
  if (adopt) return { kind: 'adopt', id }
  return { kind: reset ? 'reset' : 'start' }
}

const wrongUse = (message: string) =>
  new ConfigurationError([{ path: '', message: `${message} --help shows what there is.` }])

function readOptions(args: string[]) {
  const options = {
    port: { type: 'string' },
    data: { type: 'string' },
    adopt: { type: 'boolean' },
    reset: { type: 'boolean' },
    yes: { type: 'boolean' },
    help: { type: 'boolean' },
  } as const
  try {
    const { values, positionals } = parseArgs({ args, options, strict: true, allowPositionals: true })
    const [id, ...more] = positionals
    if (more.length > 0) throw new Error(`Unexpected argument '${more[0]}'.`)
    return { ...values, id }
  } catch (error) {
    throw wrongUse((error as Error).message)
  }
}
