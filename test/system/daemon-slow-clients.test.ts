import { once } from 'node:events'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HistoryAnswer } from '@svc/shared/wire/daemon/daemon-history.api.ts'
import { verifies } from '../requirements.ts'
import { residentBytes, restingBytes } from '../support/daemon-memory.ts'
import { call, startSvcd, type Svcd } from '../support/svcd.ts'

const VAULT = '/api/vaults/demo-vault'
const MB = 1024 ** 2
const CLIENTS = 30
const text = Buffer.alloc(10 * MB, 'a line with as many words as lines of notes usually have, more or less\n')
let daemon: Svcd
let revision: { rev: string; author: { id: string } }

beforeAll(async () => {
  daemon = await startSvcd()
  const headers = { 'content-type': 'text/markdown', 'if-none-match': '*' }
  expect((await call(daemon, `${VAULT}/notes/slow.md`, { method: 'PUT', body: text, headers })).status).toBe(201)
  const { revisions } = HistoryAnswer.parse((await call(daemon, `${VAULT}/history/slow.md`)).body)
  revision = revisions![0]!
})
afterAll(() => daemon.remove())

type Asked = { path: string; method?: string; headers?: Record<string, string>; body?: Buffer | string }

/** A request whose response nobody reads. */
function ask({ path, method = 'GET', headers = {}, body }: Asked): ClientRequest {
  const asked = request(`${daemon.url}${VAULT}${path}`, { method, headers, agent: false })
  asked.on('error', () => {})
  if (body === undefined) asked.end()
  else asked.write(body)
  return asked
}

const headOf = async (asked: ClientRequest) => ((await once(asked, 'response')) as [IncomingMessage])[0]

/** Expects that many slow clients take little memory, that some are refused, and that all is well after they left. */
async function expectLittleMemory(slow: () => ClientRequest, isRefusal: (heads: IncomingMessage[]) => boolean) {
  const before = await restingBytes(daemon)
  const asked = Array.from({ length: CLIENTS }, slow)
  const heads: IncomingMessage[] = []
  for (const each of asked) each.on('response', (head) => heads.push(head))
  await expect.poll(() => isRefusal(heads), { timeout: 60_000 }).toBe(true)
  const refused = heads.filter(({ statusCode }) => statusCode !== 200)
  expect(refused.length).toBeGreaterThan(0)
  for (const { statusCode, headers } of refused)
    expect([statusCode, headers['retry-after']]).toEqual([429, expect.stringMatching(/^\d+$/)])
  expect((await residentBytes(daemon)) - before).toBeLessThan(150 * MB)
  for (const each of asked) each.destroy()
}

const allAnswered = (heads: IncomingMessage[]) => heads.length === CLIENTS

test('readers of a large past version who are slow take little memory', { timeout: 120_000 }, async () => {
  verifies('limits.note')
  const path = `/history/slow.md?rev=${revision.rev}`
  await expectLittleMemory(() => ask({ path }), allAnswered)
  const { status, body } = await call(daemon, VAULT + path)
  expect([status, (body as { content: string }).content.length]).toEqual([200, text.length])
})

/** The statuses of many calls at the same time, and the most memory that they took. */
async function together(one: () => Promise<{ status: number }>) {
  const before = await restingBytes(daemon)
  let most = before
  const looking = setInterval(async () => (most = Math.max(most, await residentBytes(daemon))), 20)
  const answers = await Promise.all(Array.from({ length: CLIENTS }, one))
  clearInterval(looking)
  return { statuses: [...new Set(answers.map(({ status }) => status))], bytes: most - before }
}

test('many dry runs over large notes at the same time take little memory', { timeout: 120_000 }, async () => {
  verifies('limits.note')
  const wish = { actor: revision.author.id, since: '2000-01-01T00:00:00Z', path: 'slow.md' }
  const { statuses, bytes } = await together(() => call(daemon, `${VAULT}/revert`, { json: wish }))
  expect(statuses).toContain(200)
  expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([])
  expect(bytes).toBeLessThan(220 * MB)
})

test('many who ask for the authors of a large note take little memory', { timeout: 120_000 }, async () => {
  verifies('limits.note')
  const { statuses, bytes } = await together(() => call(daemon, `${VAULT}/authors/slow.md`))
  expect(statuses).toEqual([200])
  expect(bytes).toBeLessThan(300 * MB)
})

test('large notes that stop arriving take little memory', { timeout: 120_000 }, async () => {
  verifies('limits.note')
  const headers = { 'content-type': 'text/markdown', 'if-none-match': '*', 'content-length': String(text.length) }
  const put = { path: '/notes/never.md', method: 'PUT', headers }
  const most = text.subarray(0, -100)
  // Those that have room wait for the rest of their notes.
  await expectLittleMemory(
    () => ask({ ...put, body: most }),
    (heads) => heads.length >= CLIENTS - 10,
  )
  const whole = ask({ ...put, body: text })
  whole.end()
  expect((await headOf(whole)).statusCode).toBe(201)
})
