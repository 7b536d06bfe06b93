import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hostileRequests } from '../corpus/hostile-requests.ts'
import { verifies } from '../requirements.ts'
import { programEnvironment } from '../support/program-environment.ts'
import { startRelay } from '../support/relay.ts'
import { startDaemon, until, type RelayHarness } from '../support/relay-replica.ts'
import { entryKey } from '../../control-plane/src/entry/entry-secret.ts'
import { createRequestAssertions } from '../../control-plane/src/entry/kept-assertions.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { systemClock } from '@svc/shared/kit/clock.ts'

type Organization = Awaited<ReturnType<RelayHarness['makeOrganization']>>
type Seen = { method: string; url: string; rawHeaders: string[] }

const main = fileURLToPath(new URL('../../daemon/bin/svcd.js', import.meta.url))
/**
 * The parts of a request that a daemon may see: the rules of request-headers.ts, written down a second time,
 * independent of the implementation.
 */
const VISIBLE = new Set(
  `accept accept-language accept-encoding cache-control content-type content-length content-language if-match if-none-match
  if-modified-since if-unmodified-since if-range range last-event-id origin user-agent sec-fetch-site sec-fetch-mode
  sec-fetch-dest sec-fetch-user host x-svc-assertion connection transfer-encoding`.split(/\s+/),
)

let harness: RelayHarness
let recorded: Organization
let real: Organization
let recorder: Awaited<ReturnType<typeof startDaemon>>
let child: ChildProcess
let home: string
const seen: Seen[] = []
const cookies = new Map<string, string>()

beforeAll(async () => {
  harness = await startRelay()
  recorded = await harness.makeOrganization()
  real = await harness.makeOrganization()
  recorder = await startDaemon(harness, recorded, (req, res) => {
    if (req.url !== MARK) seen.push({ method: req.method ?? '', url: req.url ?? '', rawHeaders: req.rawHeaders })
    req.resume()
    res.end('seen')
  })
  home = await mkdtemp(join(tmpdir(), 'svcd-home-'))
  for (const vault of ['demo-vault', 'secret-vault']) {
    await mkdir(join(home, 'vaults', vault, 'notes'), { recursive: true })
    await writeFile(join(home, 'vaults', vault, 'README.md'), vault === 'secret-vault' ? 'CANARY\n' : 'hello\n')
  }
  child = spawn(process.execPath, [main], {
    env: programEnvironment({
      SVC_HOME: home,
      SVC_PORT: '0',
      SVC_LOG_LEVEL: 'error',
      SVC_RELAY_URL: `http://127.0.0.1:${harness.port}/t/${real.orgId}`,
      SVC_RELAY_TOKEN: real.apiKey,
    }),
    stdio: 'ignore',
  })
  for (const org of [recorded, real]) {
    await until(async () => (await harness.relay.status(org.orgId)).connected)
    const person = await harness.makePerson(org.orgId)
    cookies.set(org.orgId, await harness.enter({ orgId: org.orgId, person, vault: 'demo-vault' }))
  }
})
afterAll(async () => {
  await recorder.close()
  const exited = once(child, 'exit')
  child.kill()
  await exited
  await harness.close()
  await removeFolder(home)
})

const fill = (raw: string, org: Organization, cookie = cookies.get(org.orgId) ?? '') =>
  raw
    .replaceAll('{host}', org.host)
    .replaceAll('{name}', org.host.split(':')[0]!)
    .replaceAll('{port}', String(harness.port))
    .replaceAll('{origin}', org.origin)
    .replaceAll('{cookie}', cookie)
    .replaceAll('{value}', cookie.split('=')[1] ?? '')

const MARK = '/api/vaults/demo-vault/tree?mark'
const TRIPS = 4

/**
 * Waits until nothing changes during some round trips to the daemon. A round trip takes every step of a request, so what
 * bytes that were sent earlier may cause has happened when several are over.
 */
async function settle(org: Organization, read: () => string): Promise<void> {
  for (let trips = 0, last = read(); trips < TRIPS; trips += 1) {
    const headers = { cookie: cookies.get(org.orgId)! }
    const { status } = await harness.ask({ host: org.host, path: MARK, headers })
    expect(status, 'others are served').toBe(200)
    if (read() !== last) trips = 0
    last = read()
  }
}

/** Sends bytes and returns all that comes back. A `certain` response is awaited; any other may be missing. */
async function exchange(org: Organization, { socket, raw, response }: Exchange): Promise<string> {
  let text = ''
  let isClosed = false
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
  socket.on('error', () => {})
  socket.on('close', () => (isClosed = true))
  socket.write(Buffer.from(raw, 'latin1'))
  if (response === 'certain') await until(() => text !== '' || isClosed)
  await settle(org, () => `${text.length} ${isClosed} ${seen.length}`)
  socket.destroy()
  return text
}
type Exchange = { socket: Duplex; raw: string; response: 'certain' | 'possible' }
const toGateway = (org: Organization, raw: string, response: Exchange['response'] = 'possible') =>
  exchange(org, { socket: connect(harness.port, '127.0.0.1'), raw, response })
const statusOf = (text: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0)

/** Runs the work for all items, a few at a time. */
async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items]
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: 8 }, worker))
}

describe('hostile requests', () => {
  it('are at least 300', () => {
    expect(hostileRequests.length).toBeGreaterThanOrEqual(300)
  })

  it('reach a daemon once and clean, or not at all', async () => {
    verifies('security.request-headers', 'relay.trust-headers', 'relay.narrow-routes')
    const wrong: string[] = []
    for (const { name, raw, expect: expected } of hostileRequests) {
      seen.length = 0
      const answer = await toGateway(recorded, fill(raw, recorded), expected === 'forwarded' ? 'certain' : 'possible')
      if (seen.length > 1) wrong.push(`${name}: ${seen.length} requests`)
      if (expected === 'refused' && seen.length > 0) wrong.push(`${name}: reached the daemon as ${seen[0]?.url}`)
      if (expected === 'forwarded' && (seen.length !== 1 || statusOf(answer) !== 200))
        wrong.push(`${name}: was not forwarded, ${answer.slice(0, 200)}`)
      for (const { rawHeaders, url } of seen)
        wrong.push(
          ...leaks(rawHeaders).map((leak) => `${name}: ${leak}`),
          ...(raw.includes(` ${url} `) ? [] : [`${name}: target changed to ${url}`]),
        )
      if (expected === 'refused' && statusOf(answer) >= 200 && statusOf(answer) < 400)
        wrong.push(`${name}: ${statusOf(answer)}`)
    }
    expect(wrong).toEqual([])
  })

  it('get nothing of a vault that was not entered out of a real daemon, through the gateway or on a bare stream', async () => {
    verifies('security.assertion-count', 'security.default-deny')
    const person = await harness.makePerson(real.orgId)
    const cookie = await harness.enter({ orgId: real.orgId, person, vault: 'demo-vault' })
    const session = await harness.relay.entries.find(entryKey(cookie.split('=')[1] ?? '') ?? '')
    const assertionFor = createRequestAssertions({
      sign: harness.relay.signingKeys.signer('request'),
      onRevocation: () => {},
      clock: systemClock,
    })

    const wrong: string[] = []
    await eachOf(hostileRequests, async ({ name, raw }) => {
      const gateway = await toGateway(real, fill(raw, real, cookie))
      const assertion = await assertionFor(session!)
      const bare = fill(raw, real, cookie).replace(/^Cookie: .*$/m, `X-Svc-Assertion: ${assertion}`)
      const socket = harness.relay.findTunnel(real.orgId)!.tunnel.openSocket()
      const response = statusOf(gateway) === 200 ? 'certain' : 'possible'
      const daemon = await exchange(real, { socket, raw: bare, response })
      for (const [where, text] of [
        ['gateway', gateway],
        ['daemon', daemon],
      ] as const)
        if (text.includes('CANARY') && !name.includes('CANARY'))
          wrong.push(`${name}: the canary came out of the ${where}`)
      const differs = name.startsWith('target') && statusOf(gateway) === 200 && statusOf(daemon) !== 200
      if (differs) wrong.push(`${name}: gateway ${statusOf(gateway)}, daemon ${statusOf(daemon)}`)
    })
    expect(wrong).toEqual([])
    expect(
      (await harness.ask({ host: real.host, path: '/api/vaults/demo-vault/tree', headers: { cookie } })).status,
    ).toBe(200)
  })
})

function leaks(rawHeaders: string[]): string[] {
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
  const values = rawHeaders.filter((_, index) => index % 2 === 1)
  const found = names.filter((name) => !VISIBLE.has(name)).map((name) => `header ${name} leaked`)
  if (names.filter((name) => name === 'x-svc-assertion').length !== 1) found.push('not one assertion')
  if (names.filter((name) => name === 'host').length !== 1) found.push('not one host')
  if (values.some((value) => /forged|svc_entry/.test(value))) found.push('a forged or secret value leaked')
  return found
}
