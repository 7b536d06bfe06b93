import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { startRelay } from '../support/relay.ts'
import { startDaemon, until, verifyAssertion, type RelayHarness } from '../support/relay-replica.ts'
import { relayedContext } from '../../daemon/src/entry/tunnel-context.ts'

type Organization = Awaited<ReturnType<RelayHarness['makeOrganization']>>
type Person = Awaited<ReturnType<RelayHarness['makePerson']>>

let harness: RelayHarness
let org: Organization
let daemon: Awaited<ReturnType<typeof startDaemon>>
let person: Person
/** Responses that the daemon holds back. */
let held: ServerResponse[] = []

beforeAll(async () => {
  harness = await startRelay()
  org = await harness.makeOrganization()
  daemon = await startDaemon(harness, org, async (req, res) => {
    const caller = await verifyAssertion(String(req.headers['x-svc-assertion']), relayedContext(req.socket)!)
    if (req.url?.endsWith('/search?q=slow')) return void held.push(res)
    res.end(JSON.stringify(caller.kind === 'person' ? caller.claims.vaults : caller))
  })
  await until(async () => (await harness.relay.status(org.orgId)).connected)
})
beforeEach(async () => {
  held = []
  person = await harness.makePerson(org.orgId)
})
afterAll(async () => {
  await daemon.close()
  await harness.close()
})

const enter = (vault: string, who = person) => harness.enter({ orgId: org.orgId, person: who, vault })
const ask = (cookie: string, vault: string, route = 'tree') =>
  harness.ask({ host: org.host, path: `/api/vaults/${vault}/${route}`, headers: { cookie } })
const statuses = async (cookie: string, vaults: string[]) =>
  Promise.all(vaults.map(async (vault) => (await ask(cookie, vault)).status))

/** The same person in another browser. */
async function signInAgain(): Promise<Person> {
  const sessionId = randomUUID()
  const row = await harness.db.selectFrom('session').selectAll().where('id', '=', person.sessionId).executeTakeFirst()
  await harness.db
    .insertInto('session')
    .values({ ...row!, id: sessionId, token: randomUUID() })
    .execute()
  return { ...person, sessionId }
}

test('a second vault joins the first, and neither cookie loses a vault', async () => {
  verifies('security.entries-joined')
  const first = await enter('one')
  const second = await enter('two')
  expect(second).not.toBe(first)
  expect(await statuses(second, ['one', 'two', 'three'])).toEqual([200, 200, 404])
  // The responses of two entries may reach the browser in either order.
  expect(await statuses(first, ['one', 'two', 'three'])).toEqual([200, 200, 404])
  expect(JSON.parse((await ask(second, 'one')).text)).toEqual(['one', 'two'])
})

test('entries at the same moment hold the vaults of each other', async () => {
  verifies('security.entries-joined')
  const vaults = ['a', 'b', 'c', 'd', 'e', 'f']
  const cookies = await Promise.all(vaults.map((vault) => enter(vault)))
  for (const cookie of cookies) expect(await statuses(cookie, vaults)).toEqual(vaults.map(() => 200))
})

test('an entry holds 100 vaults: the oldest gives way, and can be entered again', async () => {
  const vaults = Array.from({ length: 101 }, (_, index) => `v${index}`)
  let cookie = ''
  for (const vault of vaults) cookie = await enter(vault)
  expect(await statuses(cookie, ['v0', 'v1', 'v99', 'v100'])).toEqual([404, 200, 200, 200])
  cookie = await enter('v0')
  expect(await statuses(cookie, ['v0', 'v1', 'v2', 'v100'])).toEqual([200, 404, 200, 200])
  expect(JSON.parse((await ask(cookie, 'v0')).text)).toHaveLength(100)
})

test('an entry holds as many vaults with long names as its daemon accepts in one assertion', async () => {
  const vaults = Array.from({ length: 40 }, (_, index) => `${index}-${'名'.repeat(80)}`)
  let cookie = ''
  for (const vault of vaults) cookie = await enter(vault)
  const first = cookie
  const held = JSON.parse((await ask(cookie, encodeURIComponent(vaults.at(-1)!))).text) as string[]
  expect(held.length).toBeGreaterThan(10)
  expect(held).toEqual(vaults.slice(-held.length))
  const another = `40-${'名'.repeat(80)}`
  await enter(another)
  expect(JSON.parse((await ask(first, encodeURIComponent(another))).text)).toEqual([...held.slice(1), another])
})

test('a request under way with the older cookie ends well', async () => {
  verifies('security.entries-joined')
  const first = await enter('one')
  const slow = ask(first, 'one', 'search?q=slow')
  await until(() => held.length === 1)
  await enter('two')
  await harness.relay.entries.sweep()
  held[0]!.end('found')
  expect(await slow).toMatchObject({ status: 200, text: 'found' })
})

test('a sign-in elsewhere, another person and another organization share nothing', async () => {
  await enter('one')
  const elsewhere = await enter('two', await signInAgain())
  expect(await statuses(elsewhere, ['one', 'two'])).toEqual([404, 200])
  const other = await enter('three', await harness.makePerson(org.orgId))
  expect(await statuses(other, ['one', 'two', 'three'])).toEqual([404, 404, 200])
})

test('nobody enters who is no member any more, in another role or signed out', async () => {
  verifies('security.entry-rechecked')
  const { db } = harness
  await enter('one')
  await expect(enter('two', { ...person, role: 'admin' })).rejects.toThrow(/401/)
  await db.deleteFrom('member').where('userId', '=', person.id).execute()
  await expect(enter('two')).rejects.toThrow(/401/)
  person = await harness.makePerson(org.orgId)
  await db.deleteFrom('session').where('id', '=', person.sessionId).execute()
  await expect(enter('two')).rejects.toThrow(/401/)
})

test('leaving ends every entry of the sign-in', async () => {
  verifies('security.entries-joined')
  const first = await enter('one')
  const second = await enter('two')
  const elsewhere = await enter('one', await signInAgain())
  const headers = { cookie: second, origin: org.origin }
  await harness.ask({ method: 'POST', host: org.host, path: '/_svc/leave', headers })
  expect(await statuses(second, ['one', 'two'])).toEqual([401, 401])
  expect(await statuses(first, ['one', 'two'])).toEqual([401, 401])
  expect(await statuses(elsewhere, ['one'])).toEqual([200])
})

test('a sign-in has at most 20 entries at a time, of which the oldest ends', async () => {
  const cookies: string[] = []
  for (let nth = 0; nth < 22; nth++) cookies.push(await enter(`v${nth}`))
  expect(await statuses(cookies[1]!, ['v0'])).toEqual([401])
  expect(await statuses(cookies[2]!, ['v0'])).toEqual([200])
  expect(await statuses(cookies[21]!, ['v0', 'v21'])).toEqual([200, 200])
})
