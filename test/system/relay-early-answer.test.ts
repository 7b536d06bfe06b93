import { Agent, request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startRelay } from '../support/relay.ts'
import { startDaemon, until, type RelayHarness } from '../support/relay-replica.ts'

let harness: RelayHarness
let org: Awaited<ReturnType<RelayHarness['makeOrganization']>>
let daemon: Awaited<ReturnType<typeof startDaemon>>

beforeAll(async () => {
  harness = await startRelay()
  org = await harness.makeOrganization()
  daemon = await startDaemon(harness, org, (req, res) => {
    // The first bytes are enough to know; the rest is swallowed, as svcd does.
    if (req.method === 'PUT') req.once('data', () => res.writeHead(507).end('full') && req.resume())
    else res.end('read')
  })
  await until(() => daemon.connection.status().controlConnected)
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
