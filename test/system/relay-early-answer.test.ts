import { Agent, request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { startRelay } from '../support/relay.ts'
import { startDaemon, until, type RelayHarness } from '../support/relay-replica.ts'
import { call, startSvcd } from '../support/svcd.ts'
import { writeThenRead } from '../support/write-then-read.ts'

// More than the system buffers for a connection on both sides.
const LARGE = Buffer.alloc(24_000_000, 'x')

let harness: RelayHarness
let org: Awaited<ReturnType<RelayHarness['makeOrganization']>>
let daemon: Awaited<ReturnType<typeof startDaemon>>

beforeAll(async () => {
  harness = await startRelay()
  org = await harness.makeOrganization()
  daemon = await startDaemon(harness, org, (req, res) => {
    // The first bytes are enough to decide; the rest is discarded, as in svcd.
    if (req.method === 'PUT') req.once('data', () => res.writeHead(507).end('full') && req.resume())
    else res.end('read')
  })
  await until(async () => (await harness.relay.status(org.orgId)).connected)
})
afterAll(async () => {
  await daemon.close()
  await harness.close()
})

test('after an answer in the middle of an upload the connection serves the next request', async () => {
  const person = await harness.makePerson(org.orgId)
  const cookie = await harness.enter({ orgId: org.orgId, person, vault: 'demo-vault' })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = (method: string, path: string, body?: Buffer) =>
    new Promise<string>((resolve, reject) => {
      const headers = { host: org.host, cookie, origin: org.origin, 'content-type': 'application/octet-stream' }
      const options = { host: '127.0.0.1', port: harness.port, agent, method, path, headers }
      const sent = request(options, (answer) => {
        let text = ''
        answer.on('data', (more: Buffer) => (text += more.toString()))
        answer.on('end', () => resolve(`${answer.statusCode} ${text}`))
      })
      sent.on('error', reject)
      sent.end(body)
    })

  for (let count = 0; count < 5; count++) {
    expect(await ask('PUT', '/api/vaults/demo-vault/attachments/a.bin', Buffer.alloc(8_000_000))).toBe('507 full')
    expect(await ask('GET', '/api/vaults/demo-vault/tree')).toBe('200 read')
  }
  agent.destroy()
})

test('a client that reads only after it sent everything, and asks to close, gets the early response', async () => {
  verifies('http.early-answer')
  const person = await harness.makePerson(org.orgId)
  const cookie = await harness.enter({ orgId: org.orgId, person, vault: 'demo-vault' })
  const type = 'Content-Type: application/octet-stream'
  const put = 'PUT /api/vaults/demo-vault/attachments/a.bin HTTP/1.1'
  const relayed = [put, `Host: ${org.host}`, `Origin: ${org.origin}`, `Cookie: ${cookie}`, type]
  expect(await writeThenRead({ port: harness.port, head: relayed, body: LARGE })).toMatch(/^HTTP\/1.1 507 [^]*full/)

  const svcd = await startSvcd({ env: { SVC_MAX_ATTACHMENT_BYTES: '1000000' } })
  try {
    const { host, port } = new URL(svcd.url)
    const local = [put, `Host: ${host}`, 'If-None-Match: *', type]
    const refused = await writeThenRead({ port: Number(port), head: local, body: LARGE })
    expect(refused).toMatch(/^HTTP\/1.1 413 [^]*payload_too_large/)
    expect((await call(svcd, '/api/vaults/demo-vault/attachments/a.bin')).status).toBe(404)
  } finally {
    await svcd.remove()
  }
})
