import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { mailedToken } from '../support/mailbox.ts'
import type { Answer } from '../support/person.ts'
import { until } from '../support/until.ts'

/** The most requests with a password that are in flight. */
const ADMITTED = 64
const THREADS = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4)

let cp: TestControlPlane
beforeAll(async () => {
  cp = await startControlPlane()
})
afterAll(() => cp.stop())

/**
 * Blocks the threads that hash passwords, until the returned function is called: each thread waits to open a pipe
 * without a writer.
 */
function holdThreads(): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-threads-'))
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  const readers = Array.from({ length: THREADS }, () => open(pipe, 'r'))
  return async () => {
    const writer = openSync(pipe, 'r+')
    for (const reader of await Promise.all(readers)) await reader.close()
    closeSync(writer)
    rmSync(folder, { recursive: true })
  }
}

test('more requests with a password than are worked on are told to come back, and lose nothing by it', async () => {
  verifies('auth.password-load')
  const ada = cp.person()
  await ada.signUp({ email: 'ada@example.org' })
  await ada.post('/api/auth/request-password-reset', { email: ada.email, redirectTo: '/' })
  const token = mailedToken(await cp.mailTo(ada.email, 'reset-password'))
  const newPassword = 'a new password of ada'
  const reset = () => cp.person().post('/api/auth/reset-password', { token, newPassword })
  const signUp = () =>
    cp.person().post('/api/auth/sign-up/email', { email: 'bo@example.org', name: 'Bo', password: newPassword })

  const release = holdThreads()
  let refused = 0
  const signIns: Promise<Answer>[] = Array.from({ length: ADMITTED + 1 }, async (_, index) => {
    const email = `nobody-${index}@example.org`
    const answer = await cp.person().post('/api/auth/sign-in/email', { email, password: 'x' })
    if (answer.status === 503) refused += 1
    return answer
  })
  await until('one sign-in is refused', () => refused === 1)
  const refusals = [await reset(), await signUp(), await ada.signIn()]
  await expect(ada.get('/api/settings'), 'other requests are served meanwhile').resolves.toMatchObject({ status: 200 })
  await release()

  for (const answer of refusals) {
    expect([answer.status, answer.body.error.code]).toEqual([503, 'server_busy'])
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
  }
  const statuses = (await Promise.all(signIns)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 401)).toHaveLength(ADMITTED)
  expect((await reset()).status, 'the link was not used up').toBe(200)
  expect((await ada.signIn(newPassword)).status).toBe(200)
})
