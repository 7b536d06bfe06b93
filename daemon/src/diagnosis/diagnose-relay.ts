import type { LookupAddress } from 'node:dns'
import type { Socket } from 'node:net'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { exitCodes } from '@svc/shared/wire/exit-codes.ts'
import { isLoopbackName } from '../http/host-name.ts'
import { readRelayKey, whyUnreadable, type RelayKeySource } from '../relay/relay-key.ts'
import { askService } from './ask-service.ts'
import { Blocked, causes, type CauseCode } from './causes.ts'
import { agreeTls, openTcp, openThroughProxy, STEP_MS } from './open-line.ts'
import { tryTunnel } from './try-tunnel.ts'

/** Assertions of the relay tolerate this much clock difference. */
const MAX_SKEW_MS = 5_000

/** One step on the way to the relay, and its result. */
export type Check = {
  name: 'configuration' | 'dns' | 'connection' | 'proxy' | 'tls' | 'service' | 'clock' | 'websocket' | 'frames'
  result: 'ok' | 'failed' | 'skipped'
  message: string
}

/** What keeps the daemon from its relay, if anything does. */
export type Diagnosis = {
  ok: boolean
  relay: string | undefined
  cause?: { code: CauseCode; message: string; hint: string; details?: string }
  checks: Check[]
  exitCode: number
}

type Relay = { url: string; key: RelayKeySource; proxy: string | undefined }
type Options = {
  relay: Relay | undefined
  clock: Clock
  lookup: (host: string) => Promise<LookupAddress[]>
  /** How long a response over the WebSocket may take. */
  waitMs?: number
}

/**
 * Checks the connection to the relay step by step and stops at the first failure: later steps depend on earlier ones.
 */
export async function diagnoseRelay({ relay, clock, lookup, waitMs = STEP_MS }: Options): Promise<Diagnosis> {
  const checks: Check[] = []
  const passed = (name: Check['name'], message: string) => void checks.push({ name, result: 'ok', message })
  const skipped = (name: Check['name'], message: string) => void checks.push({ name, result: 'skipped', message })
  let current: Check['name'] = 'configuration'
  const step = async <T>(name: Check['name'], work: () => Promise<T>): Promise<T> => {
    current = name
    return work()
  }

  const walk = async ({ url: text, key, proxy: proxyText }: Relay): Promise<void> => {
    const url = new URL(text)
    const secure = url.protocol === 'https:'
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const place = { host, port: Number(url.port || (secure ? 443 : 80)) }
    const proxy = proxyText === undefined || isLoopbackName(host) ? undefined : new URL(proxyText)
    const { token } = await readRelayKey(key).catch((error: unknown) => {
      throw new Blocked('key_unreadable', whyUnreadable(error))
    })
    passed('configuration', `${url.origin}${proxy === undefined ? '' : ` through the proxy ${proxy.host}`}`)

    if (proxy === undefined) {
      passed('dns', (await step('dns', () => resolveName(host, lookup))).join(', '))
      skipped('proxy', 'none is used')
    } else skipped('dns', 'the proxy resolves the name')

    const openLine = async (): Promise<Socket> => {
      const line =
        proxy === undefined
          ? await step('connection', () => openTcp(place))
          : await step('proxy', () => openThroughProxy(proxy, place))
      return secure ? step('tls', () => agreeTls(line, host)) : line
    }
    const first = await openLine()
    passed(proxy === undefined ? 'connection' : 'proxy', `${place.host}:${place.port} answers`)
    if (secure) passed('tls', 'the certificate is trusted')
    else skipped('tls', 'the relay is dialled without TLS')

    const before = clock.now()
    const { date } = await step('service', () => askService(url, first))
    const after = clock.now()
    passed('service', 'the service answers')
    const skewMs = await step('clock', async () => skewOf(date, { before, after }))
    passed('clock', skewMs === undefined ? 'the service told no time' : `differs by ${Math.round(skewMs / 1000)} s`)

    const line = await openLine()
    const tunnel = await step('websocket', () => tryTunnel({ url, line, token, clock, waitMs }))
    try {
      passed('websocket', `the relay greets; a round trip takes ${Math.round(tunnel.roundTripMs)} ms`)
      const bytes = await step('frames', () => tunnel.tryFrames())
      passed('frames', `messages of ${bytes / 1024} KiB get through`)
    } finally {
      tunnel.close()
    }
  }

  try {
    if (relay === undefined) throw new Blocked('not_configured')
    await walk(relay)
    return { ok: true, relay: relay.url, checks, exitCode: exitCodes.ok }
  } catch (error) {
    if (!(error instanceof Blocked)) throw error
    const { code, details } = error
    const { message, hint, exit } = causes[code]
    checks.push({
      name: current,
      result: 'failed',
      message: details === undefined ? message : `${message} (${details})`,
    })
    const cause = { code, message, hint, ...(details === undefined ? {} : { details }) }
    return { ok: false, relay: relay?.url, cause, checks, exitCode: exit }
  }
}

async function resolveName(host: string, lookup: Options['lookup']): Promise<string[]> {
  try {
    return (await lookup(host)).map(({ address }) => address)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    throw new Blocked(code === 'ENOTFOUND' || code === 'ENODATA' ? 'dns_not_found' : 'dns_unavailable', code)
  }
}

/** The least difference that fits: the service read its clock at some time between the request and the answer. */
function skewOf(date: string | undefined, { before, after }: Record<'before' | 'after', Date>): number | undefined {
  const theirs = Date.parse(date ?? '')
  if (Number.isNaN(theirs)) return undefined
  // The header has whole seconds, so the true time is up to a second later.
  const [least, most] = [before.getTime() - (theirs + 500), after.getTime() - (theirs + 500)]
  const skewMs = Math.min(Math.max(0, least), most)
  if (Math.abs(skewMs) > MAX_SKEW_MS) throw new Blocked('clock_skew', `by ${Math.round(skewMs / 1000)} s`)
  return skewMs
}
