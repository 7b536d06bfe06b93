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
    seen.push({ method: req.method ?? '', url: req.url ?? '', rawHeaders: req.rawHeaders })
    req.resume()
    res.end('seen')
  })
  home = await mkdtemp(join(tmpdir(), 'svcd-home-'))
  for (const vault of ['demo-vault', 'secret-vault']) {
    await mkdir(join(home, 'vaults', vault, 'notes'), { recursive: true })
    await writeFile(join(home, 'vaults', vault, 'README.md'), vault === 'secret-vault' ? 'CANARY\n' : 'hello\n')
  }
  child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env.PATH,
      SVC_HOME: home,
      SVC_PORT: '0',
      SVC_LOG_LEVEL: 'error',
      SVC_RELAY_URL: `http://127.0.0.1:${harness.port}/t/${real.orgId}`,
      SVC_RELAY_TOKEN: real.apiKey,
    },
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

/**
 * How long to wait for the first byte of a response: long if a response is certain, because the machine may be busy.
 */
const FIRST_MS = { certain: 90_000, uncertain: 500 }
const QUIET_MS = 60

/** Sends bytes and returns the response until the other side is quiet or gone. */
async function exchange(socket: Duplex, raw: string, first: keyof typeof FIRST_MS): Promise<string> {
  let text = ''
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      socket.destroy()
      resolve(text)
    }
    let timer = setTimeout(done, FIRST_MS[first])
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
      clearTimeout(timer)
      timer = setTimeout(done, QUIET_MS)
    })
    socket.on('error', () => {})
    socket.on('close', done)
    socket.write(Buffer.from(raw, 'latin1'))
  })
}
const toGateway = (raw: string, first: keyof typeof FIRST_MS = 'uncertain') =>
  exchange(connect(harness.port, '127.0.0.1'), raw, first)
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
      const answer = await toGateway(fill(raw, recorded), expected === 'forwarded' ? 'certain' : 'uncertain')
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
      clock: systemClock,
    })

    const wrong: string[] = []
    await eachOf(hostileRequests, async ({ name, raw }) => {
      const gateway = await toGateway(fill(raw, real, cookie))
      const assertion = await assertionFor(session!)
      const bare = fill(raw, real, cookie).replace(/^Cookie: .*$/m, `X-Svc-Assertion: ${assertion}`)
      const stream = harness.relay.findTunnel(real.orgId)?.tunnel.openSocket()
      const daemon =
        stream === undefined ? '' : await exchange(stream, bare, statusOf(gateway) === 200 ? 'certain' : 'uncertain')
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
