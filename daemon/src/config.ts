import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import {
  ConfigurationError,
  describeEnvironment,
  flag,
  integer,
  port,
  readEnvironment,
  secretText,
} from '@svc/shared/kit/env.ts'
import { userHome } from './home/user-home.ts'
import { isLoopbackName } from './http/host-name.ts'
import { proxyFor } from './relay/proxy-for.ts'
import type { RelayKeySource } from './relay/relay-key.ts'

const MIB = 1024 * 1024

const hostList = z.string().transform((text) =>
  text
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== ''),
)

const Environment = z.object({
  SVC_HOST: z.string().default('127.0.0.1').describe('Address to listen on.'),
  SVC_PORT: port().default(7382).describe('Port of UI, API and MCP; 0 lets the system choose.'),
  SVC_HOME: z.string().default('~/.svc').describe('Folder of the vaults and of the daemon’s state.'),
  SVC_RELAY_URL: z.string().optional().describe('Relay to dial, {base_url}/t/<org-id>; needs a token.'),
  SVC_RELAY_TOKEN: secretText().optional().describe('Daemon key for the relay; needs SVC_RELAY_URL.'),
  SVC_RELAY_TOKEN_FILE: z
    .string()
    .optional()
    .describe(
      'Instead of SVC_RELAY_TOKEN: a file with the key, or a folder with token and generation. The daemon watches it.',
    ),
  SVC_ALLOW_INSECURE_RELAY: flag(false).describe('Allow a relay without TLS that is not on this machine.'),
  HTTPS_PROXY: z.url().optional().describe('Proxy to reach the relay through.'),
  NO_PROXY: z
    .string()
    .optional()
    .describe('Hosts and domains that are reached without the proxy, separated by commas.'),
  SVC_LISTEN: z
    .enum(['tcp', 'tunnel-only'])
    .default('tcp')
    .describe('tunnel-only: no TCP listener for data; the daemon is reachable only through its tunnel.'),
  SVC_PROBE_PORT: port().optional().describe('Port of the content-free status listener.'),
  SVC_PROBE_HOST: z.string().default('127.0.0.1').describe('Address of the status listener.'),
  SVC_ALLOWED_HOSTS: hostList
    .default([])
    .describe('Host names to serve besides localhost, separated by commas; a non-loopback SVC_HOST needs them.'),
  SVC_ALLOW_NON_LOOPBACK: flag(false).describe('Allow SVC_HOST to be reachable from other machines, without login.'),
  SVC_LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('Lowest level that is logged.'),
  SVC_LOG_FORMAT: z
    .enum(['auto', 'json', 'text'])
    .default('auto')
    .describe('Format of the log: json for programs, text for people; auto is text on a terminal and json elsewhere.'),
  NO_COLOR: z.string().optional().describe('Set to any value: text logs have no colours.'),
  SVC_MAX_NOTE_BYTES: integer(1024, 256 * MIB)
    .default(10 * MIB)
    .describe('Largest note; a larger Markdown file is an attachment.'),
  SVC_MAX_ATTACHMENT_BYTES: integer(1024, 64 * 1024 * MIB)
    .default(1024 * MIB)
    .describe('Largest attachment that can be stored.'),
  SVC_MAX_VAULTS: integer(1, 10_000)
    .default(64)
    .describe(
      'Maximum number of vaults that can be created or imported; directories created by hand are served above it too.',
    ),
  SVC_MAX_IMPORT_BYTES: integer(1024, 1024 * 1024 * MIB)
    .default(10 * 1024 * MIB)
    .describe('Largest vault that can be imported, packed or unpacked.'),
  SVC_RESERVED_BYTES: integer(0, 64 * 1024 * MIB)
    .default(16 * MIB)
    .describe('Free bytes of the volume below which the daemon refuses to store; reading and deleting still work.'),
  SVC_WATCH: z
    .enum(['auto', 'poll', 'off'])
    .default('auto')
    .describe(
      'How changes by other programs are noticed. auto: at once, and by polling on network disks; poll: every few seconds; off: only at the start.',
    ),
  PATH: z
    .string()
    .default('/usr/local/bin:/usr/bin:/bin')
    .describe('Folders in which the daemon looks for git; without git, notes have no history.'),
  SVC_SEARCH_DEADLINE_MS: integer(10, 60_000)
    .default(1000)
    .describe('Milliseconds after which a search or a query of links returns what it has found.'),
})

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
  /** Where programs are looked for. */
  searchPath: string
}

const Checked = Environment.superRefine((env, context) => {
  const problem = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
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
})

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
  const env = readEnvironment(Checked, environment)

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

/** What `svcd login` needs of the environment; the relay variables may be missing or incomplete. */
export function readLoginConfig(relayUrl: string, environment: Record<string, string | undefined> = process.env) {
  const env = readEnvironment(
    Environment.pick({ SVC_HOME: true, PATH: true, SVC_ALLOW_INSECURE_RELAY: true }),
    environment,
  )
  const problem = relayUrlProblem(relayUrl, env)
  if (problem !== undefined) throw new ConfigurationError([{ path: 'the relay address', message: problem }])
  return { relayUrl, home: expandHome(env.SVC_HOME), searchPath: env.PATH }
}

/** All variables with default and meaning, for `svcd --help`. */
export const environmentHelp = (): string => describeEnvironment(Environment)

/** The version of this daemon, from its package. */
export const version: string = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version

export { ConfigurationError }
