import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createAdminClient } from '../../control-plane/src/cli/admin-client.ts'
import { runCommand } from '../../control-plane/src/cli/svc-admin.ts'
import { verifies } from '../requirements.ts'

const server = createServer()
let origin: string
let client: ReturnType<typeof createAdminClient>

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  origin = `http://127.0.0.1:${port}`
  client = createAdminClient(origin, { cookie: 'svc_session=x' })
})
afterAll(() => void server.close())
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** The response to the next request, for the test to write. */
const asked = async () => ((await once(server, 'request')) as [unknown, ServerResponse])[1]
const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1_000)

test('an export may take any time, but not be silent for a minute', async () => {
  verifies('admin.cli-patience')
  const lines = client.exportAudit('platform')
  const [request, first] = [asked(), lines.next()]
  const response = await request
  await pass(40)
  response.write('line 0\n')
  expect((await first).value).toBe('line 0\n')
  for (let line = 1; line < 5; line++) {
    const next = lines.next()
    await pass(40)
    response.write(`line ${line}\n`)
    expect((await next).value).toBe(`line ${line}\n`)
  }

  const closed = once(response, 'close')
  const next = lines.next()
  const refused = expect(next).rejects.toMatchObject({ code: 'operation_retryable' })
  await pass(61)
  await refused
  await closed
})

test('an export whose connection breaks ends with a failure', async () => {
  const lines = client.exportAudit('platform')
  const [request, first] = [asked(), lines.next()]
  const response = await request
  response.write('line 0\n')
  await first
  const next = lines.next()
  response.destroy()
  await expect(next).rejects.toMatchObject({ code: 'operation_retryable' })
})

/** Runs an export of which the platform sends this much before its connection breaks; tells what was printed. */
async function exportBroken(sent: string) {
  const printed = { stdout: '', stderr: '' }
  const printing = Promise.withResolvers<void>()
  const to = (name: keyof typeof printed) => ({
    write: (text: string) => {
      printed[name] += text
      printing.resolve()
    },
  })
  const env = { SVC_ADMIN_URL: origin, SVC_ADMIN_SESSION: 'svc_session=x' }
  const terminal = { stdin: process.stdin, stdout: to('stdout'), stderr: to('stderr') }
  const request = asked()
  const done = runCommand({ argv: ['audit', 'export', '--chain', 'platform'], env, terminal })
  const response = await request
  if (sent !== '') {
    response.write(sent)
    await printing.promise
  }
  response.destroy()
  return { code: await done, ...printed }
}

test('an export that breaks off leaves only its lines in standard output, and says why beside it', async () => {
  verifies('admin.cli-output')
  const { code, stdout, stderr } = await exportBroken('{"line":0}\n')
  expect(stdout).toBe('{"line":0}\n')
  expect(JSON.parse(stderr)).toMatchObject({ ok: false, error: { code: 'operation_retryable' } })
  expect(code).toBe(75)
})

test('an export that does not begin prints its failure as every command does', async () => {
  verifies('admin.cli-output')
  const { code, stdout, stderr } = await exportBroken('')
  expect(JSON.parse(stdout)).toMatchObject({ ok: false, error: { code: 'operation_retryable' } })
  expect(stderr).toBe('')
  expect(code).toBe(75)
})

test('a verification may take minutes, another answer one', async () => {
  verifies('admin.cli-patience')
  const found = { ok: true, valid: true, chains: 1, entries: 1, checkpoints: 1, broken: [] }
  const verification = asked()
  const verified = client.call('GET /api/admin/audit/verify', { query: {} })
  const response = await verification
  await pass(200)
  response.end(JSON.stringify(found))
  expect(await verified).toEqual(found)

  const listing = asked()
  const refused = expect(client.call('GET /api/admin/audit', { query: { chain: 'platform' } })).rejects.toMatchObject({
    code: 'operation_retryable',
  })
  const late = await listing
  late.write('{')
  await pass(61)
  await refused
})
