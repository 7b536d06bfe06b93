import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ConfigurationError } from '@svc/shared/kit/configuration-error.ts'
import { describeVariables, readVariables, type ValuesOf } from './environment.ts'
import { variables } from './config-variables.ts'
import { userHome } from './home/user-home.ts'
import { isLoopbackName } from './http/host-name.ts'
import { proxyFor } from './relay/proxy-for.ts'
import type { RelayKeySource } from './relay/relay-key.ts'

/** The configuration of one daemon process. */
export type DaemonConfig = {
  host: string
  port: number
  home: string
  relay: { url: string; key: RelayKeySource; proxy: string | undefined } | undefined
  listen: 'tcp' | 'tunnel-only'
  probe: { host: string; port: number } | undefined
  allowedHosts: string[]
  nonLoopback: boolean
  logLevel: string
  logFormat: 'auto' | 'json' | 'text'
  logColours: 'coloured' | 'plain'
  maxNoteBytes: number
  maxAttachmentBytes: number
  maxImportBytes: number
  maxVaults: number
  reservedBytes: number
  searchDeadlineMs: number
  watch: 'auto' | 'poll' | 'off'
  /** The folders in which programs are searched, as in PATH. */
  searchPath: string
}

type Environment = ValuesOf<typeof variables>

/** The problems of variables that are each valid but do not fit together. */
function problemsBetween(env: Environment): ConfigurationError['problems'] {
  const problems: ConfigurationError['problems'] = []
  const problem = (path: string, message: string) => problems.push({ path, message })
  const hasToken = env.SVC_RELAY_TOKEN !== undefined || env.SVC_RELAY_TOKEN_FILE !== undefined

  if (env.SVC_RELAY_URL !== undefined && !hasToken)
    problem('SVC_RELAY_TOKEN', 'is missing: it must be set together with SVC_RELAY_URL')
  if (env.SVC_RELAY_URL === undefined && hasToken) {
    const given = env.SVC_RELAY_TOKEN !== undefined ? 'SVC_RELAY_TOKEN' : 'SVC_RELAY_TOKEN_FILE'
    problem('SVC_RELAY_URL', `is missing: it must be set together with ${given}`)
  }
  if (env.SVC_RELAY_TOKEN !== undefined && env.SVC_RELAY_TOKEN_FILE !== undefined)
    problem('SVC_RELAY_TOKEN_FILE', 'cannot be set together with SVC_RELAY_TOKEN: keep one of them')

  const relayProblem = env.SVC_RELAY_URL === undefined ? undefined : relayUrlProblem(env.SVC_RELAY_URL, env)
  if (relayProblem) problem('SVC_RELAY_URL', relayProblem)

  if (env.SVC_ALLOWED_HOSTS.some((name) => name.includes('*')))
    problem('SVC_ALLOWED_HOSTS', 'takes exact host names, not *')
  if (!isLoopbackName(env.SVC_HOST) && env.SVC_LISTEN === 'tcp') {
    if (!env.SVC_ALLOW_NON_LOOPBACK)
      problem(
        'SVC_HOST',
        `${env.SVC_HOST} is not loopback and there is no login: set SVC_ALLOW_NON_LOOPBACK=1 to allow it`,
      )
    if (env.SVC_ALLOWED_HOSTS.length === 0)
      problem('SVC_ALLOWED_HOSTS', 'is missing: an SVC_HOST that is not loopback needs the host names to serve')
  }
  return problems
}

function relayUrlProblem(text: string, env: { SVC_ALLOW_INSECURE_RELAY: boolean }): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) return 'must be an http or https address'
  if (!/\/t\/org_[a-z2-7]{24}\/?$/.test(url.pathname)) return 'must have the form {base_url}/t/<org-id>'
  if (url.username || url.password || url.search || url.hash) return 'takes no user, query or fragment'
  if (url.protocol === 'http:' && !isLoopbackName(url.hostname) && !env.SVC_ALLOW_INSECURE_RELAY)
    return 'must be https, except to this machine'
  return undefined
}

function expandHome(path: string): string {
  if (path !== '~' && !path.startsWith('~/')) return resolve(path)
  const own = userHome()
  if (own !== undefined) return resolve(join(own, path.slice(1)))
  const message = 'is not set, and this user has no home folder: set it to a folder that can be written'
  throw new ConfigurationError([{ path: 'SVC_HOME', message }])
}

/** Reads the configuration of the daemon; throws ConfigurationError with all problems at once. */
export function readConfig(environment: Record<string, string | undefined> = process.env): DaemonConfig {
  const env = readVariables(variables, environment)
  const problems = problemsBetween(env)
  if (problems.length > 0) throw new ConfigurationError(problems)

  const key: RelayKeySource | undefined = env.SVC_RELAY_TOKEN
    ? { kind: 'text', token: env.SVC_RELAY_TOKEN }
    : env.SVC_RELAY_TOKEN_FILE
      ? { kind: 'file', path: resolve(env.SVC_RELAY_TOKEN_FILE) }
      : undefined

  return Object.freeze({
    host: env.SVC_HOST,
    port: env.SVC_PORT,
    home: expandHome(env.SVC_HOME),
    relay:
      env.SVC_RELAY_URL && key
        ? {
            url: env.SVC_RELAY_URL,
            key,
            proxy: proxyFor({ url: env.SVC_RELAY_URL, proxy: env.HTTPS_PROXY, noProxy: env.NO_PROXY }),
          }
        : undefined,
    listen: env.SVC_LISTEN,
    probe: env.SVC_PROBE_PORT === undefined ? undefined : { host: env.SVC_PROBE_HOST, port: env.SVC_PROBE_PORT },
    allowedHosts: env.SVC_ALLOWED_HOSTS,
    nonLoopback: !isLoopbackName(env.SVC_HOST),
    logLevel: env.SVC_LOG_LEVEL,
    logFormat: env.SVC_LOG_FORMAT,
    logColours: env.NO_COLOR ? 'plain' : 'coloured',
    maxNoteBytes: env.SVC_MAX_NOTE_BYTES,
    maxAttachmentBytes: env.SVC_MAX_ATTACHMENT_BYTES,
    maxImportBytes: env.SVC_MAX_IMPORT_BYTES,
    maxVaults: env.SVC_MAX_VAULTS,
    reservedBytes: env.SVC_RESERVED_BYTES,
    searchDeadlineMs: env.SVC_SEARCH_DEADLINE_MS,
    watch: env.SVC_WATCH,
    searchPath: env.PATH,
  })
}

/** The part of the environment that `svcd login` needs; the relay variables may be missing or incomplete. */
export function readLoginConfig(relayUrl: string, environment: Record<string, string | undefined> = process.env) {
  const { SVC_HOME, PATH, SVC_ALLOW_INSECURE_RELAY } = variables
  const env = readVariables({ SVC_HOME, PATH, SVC_ALLOW_INSECURE_RELAY }, environment)
  const problem = relayUrlProblem(relayUrl, env)
  if (problem !== undefined) throw new ConfigurationError([{ path: 'the relay address', message: problem }])
  return { relayUrl, home: expandHome(env.SVC_HOME), searchPath: env.PATH }
}

/** All variables with default and meaning, for `svcd --help`. */
export const environmentHelp = (): string => describeVariables(variables)

/** The version of this daemon, from its package. */
export const version: string = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version

export { ConfigurationError }
