import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createAdminClient } from '../../control-plane/src/cli/admin-client.ts'
import { runCommand } from '../../control-plane/src/cli/svc-admin.ts'
import { toHttp } from '@svc/shared/http/http-failure.ts'
import { fail, type ErrorCode } from '@svc/shared/wire/errors.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
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

test('a sign-in that could not be tried is not told as a wrong password', async () => {
  verifies('admin.cli-output')
  const signIn = async (status: number, body: string, headers: Record<string, string> = {}) => {
    let stdout = ''
    const terminal = {
      stdin: process.stdin,
      stdout: { write: (text: string) => (stdout += text) },
      stderr: { write: () => {} },
    }
    const env = { SVC_ADMIN_URL: origin, SVC_ADMIN_PASSWORD: 'any' }
    const request = asked()
    const done = runCommand({ argv: ['mutations', '--org', newId('org_'), '--email', 'a@example.org'], env, terminal })
    ;(await request).writeHead(status, headers).end(body)
    const code = await done
    return [code, (JSON.parse(stdout) as { error: { code: string } }).error.code]
  }
  const failure = (code: ErrorCode) => JSON.stringify(toHttp(fail(code), 'r').body)
  const later = { 'retry-after': '3' }
  expect(await signIn(503, failure('database_unavailable'), later)).toEqual([1, 'database_unavailable'])
  expect(await signIn(429, failure('too_many_requests'), later)).toEqual([75, 'too_many_requests'])
  expect(await signIn(502, '<h1>Bad Gateway</h1>')).toEqual([75, 'daemon_unreachable'])
  expect(await signIn(400, '{"code":"INVALID_EMAIL"}')).toEqual([1, 'unauthenticated'])
  expect(await signIn(401, failure('unauthenticated'))).toEqual([1, 'unauthenticated'])
  expect(await signIn(403, failure('forbidden'))).toEqual([1, 'unauthenticated'])
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
