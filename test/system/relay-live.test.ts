import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifies } from '../requirements.ts'
import { liveClient, type LiveClient } from '../support/live-client.ts'
import { startRelay } from '../support/relay.ts'
import { until, type RelayHarness } from '../support/relay-replica.ts'
import { startSvcd, type Svcd } from '../support/svcd.ts'

type Organization = Awaited<ReturnType<RelayHarness['makeOrganization']>>

let harness: RelayHarness
let org: Organization
let daemon: Svcd
const clients: LiveClient[] = []

beforeAll(async () => {
  harness = await startRelay()
  org = await harness.makeOrganization()
  const env = { SVC_RELAY_URL: `http://127.0.0.1:${harness.port}/t/${org.orgId}`, SVC_RELAY_TOKEN: org.apiKey }
  daemon = await startSvcd({ env })
  await until(async () => (await harness.relay.status(org.orgId)).connected)
})
afterAll(async () => {
  for (const client of clients) await client.close()
  await daemon?.remove()
  await harness.close()
})

/** Somebody who has entered the vault and opened a note. */
async function enter(path: string): Promise<LiveClient> {
  const person = await harness.makePerson(org.orgId)
  const cookie = await harness.enter({ orgId: org.orgId, person, vault: 'demo-vault' })
  const headers = { host: org.host, origin: org.origin, cookie }
  const client = liveClient({ url: () => `http://127.0.0.1:${harness.port}`, path, headers })
  clients.push(client)
  await client.reaches('saved', 'durable')
  return client
}

describe('a live session through the relay', () => {
  it('shows two people and somebody at the machine what each of them types, with their names', async () => {
    verifies('live.one-authority', 'live.save-state', 'ui.presence')
    const [ada, ben] = [await enter('README.md'), await enter('README.md')]
    const local = liveClient({ url: () => daemon.url, path: 'README.md' })
    clients.push(local)
    await local.reaches('saved', 'durable')
    const all = [ada, ben, local]
    for (let nth = 0; nth < 20; nth++) {
      ada.type(`ada-${nth}\n`)
      ben.type(`ben-${nth}\n`, 0)
      local.type(`local-${nth}\n`)
    }
    await Promise.all(
      all.map((one) => one.shows((text) => (text.match(/(?:ada|ben|local)-\d+\n/g) ?? []).length === 60)),
    )
    await Promise.all(all.map((one) => one.reaches('durable')))
    expect(new Set(all.map((one) => one.shown())).size).toBe(1)
    expect(await readFile(daemon.file('demo-vault', 'README.md'), 'utf8')).toBe(ada.shown())
    await until(() => ada.current().presence.people.length === 3)
    const names = ada.current().presence.people.map(({ who }) => who.kind)
    expect(names.toSorted()).toEqual(['local', 'person', 'person'])
  })

  it('goes on after the daemon was killed, with all that was typed', async () => {
    verifies('live.kill-loses-nothing')
    const ada = await enter('README.md')
    ada.type('before the kill\n')
    await ada.reaches('saved', 'durable')
    await daemon.kill()
    ada.type('while it is down\n')
    await daemon.restart()
    await until(async () => (await harness.relay.status(org.orgId)).connected)
    ada.retry()
    await ada.reaches('durable')
    expect(ada.shown()).toMatch(/before the kill\nwhile it is down\n$/)
    await until(async () => (await readFile(daemon.file('demo-vault', 'README.md'), 'utf8')) === ada.shown())
  })
})
