import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { ConfigurationError, describeEnvironment, integer, readEnvironment, secretText } from '@svc/shared/kit/env.ts'

const repository = dirname(dirname(fileURLToPath(import.meta.url)))

/** Every variable of the embedded platform. */
const EmbeddedEnvironment = z.object({
  PORT: integer(1, 65_535).default(7380).describe('Port of everything: control plane and vault origins.'),
  SVC_DATA: z.string().default('.data').describe('Folder of all state: database, managed daemons, secrets.'),
  DATABASE_URL: secretText().optional().describe('A Postgres of yours instead of the embedded one.'),
  REDIS_URL: secretText().optional().describe('A Redis or Valkey of yours for jobs, tunnel directory and limits.'),
  SMTP_URL: secretText().optional().describe('A mail server instead of the outbox page.'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('warn')
    .describe('Least level written to the terminal. The log file in SVC_DATA has everything from info on.'),
})

/** Text of `npm start -- --help`. */
export const help = () => `npm start [-- OPTIONS] runs the whole platform in one process and prints where to open it.

Options
  --port N     port to listen on (PORT)
  --data DIR   folder of all state (SVC_DATA)
  --help       this text

Environment
${describeEnvironment(EmbeddedEnvironment)}

State survives a restart. Ctrl-C flushes and stops every part. Remove the data folder to begin anew.
Managed daemons run as child processes of one user here: this mode does not isolate organizations from each other.`

/** What the embedded platform is told: by arguments first, then by the environment. */
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
    helpAsked: options.help === true,
    port: values.PORT,
    dataDir: resolve(repository, values.SVC_DATA),
    databaseUrl: values.DATABASE_URL,
    redisUrl: values.REDIS_URL,
    smtpUrl: values.SMTP_URL,
    logLevel: values.LOG_LEVEL,
    bundleDir: resolve(repository, 'daemon/dist/bundle'),
    webRoot: resolve(repository, 'control-plane/dist/web'),
  })
}

function readOptions(args: string[]) {
  try {
    const options = { port: { type: 'string' }, data: { type: 'string' }, help: { type: 'boolean' } } as const
    return parseArgs({ args, options, strict: true }).values
  } catch (error) {
    throw new ConfigurationError([{ path: '', message: `${(error as Error).message} --help shows what there is.` }])
  }
}
