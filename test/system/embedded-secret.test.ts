import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { codeOf } from '../support/authenticator.ts'
import { createPerson, PASSWORD, type Person } from '../support/person.ts'
import { startPlatform, type Platform } from '../support/platform.ts'
import { until } from '../support/until.ts'

const [first, second] = ['first', 'second'].map((name) => `${name}-secret-of-the-tests-long-enough`)
const changed = { AUTH_SECRET: second ?? '', AUTH_SECRET_PREVIOUS: first ?? '' }

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform({ AUTH_SECRET: first ?? '' })
})
afterAll(() => platform?.remove())

/** The secrets file of the data folder, and the copy beside the database. */
async function secretFiles(): Promise<string[]> {
  const names = await readdir(platform.dataDir)
  const databases = names.filter((name) => name.startsWith('postgres-'))
  return ['.', ...databases].map((name) => join(platform.dataDir, name, 'secrets.json'))
}
const kept = async () => Promise.all((await secretFiles()).map((file) => readFile(file, 'utf8')))

const log = () => readFile(join(platform.dataDir, 'platform.log'), 'utf8')

/** Turns two-factor sign-in on; the recovery codes. */
async function enrol(person: Person): Promise<string[]> {
  const begun = await person.post('/api/auth/two-factor/enable', { password: PASSWORD })
  const confirmed = await person.post('/api/auth/two-factor/confirm', { code: codeOf(begun.body.totpURI) })
  expect(confirmed.status, confirmed.text).toBe(200)
  return begun.body.backupCodes
}

test('the secret of the platform changes without a sign-out; one that opens no stored key ends the start with 78', async () => {
  verifies('security.auth-secret', 'embedded.secret')
  const ada = createPerson(platform.origin, platform.mailbox)
  await ada.signUp({ email: 'ada@example.org' })
  const [code = ''] = await enrol(ada)
  const isSignedIn = async () => (await ada.get('/api/settings')).status === 200
  await platform.stop()

  const before = await kept()
  const foreign = platform.start({ AUTH_SECRET: second ?? '' })
  await expect(foreign).rejects.toThrow(/\(exit 78\)[^]*AUTH_SECRET does not open the keys[^]*secrets\.json/)
  expect(platform.output().trim().split('\n').at(-1)).toContain('AUTH_SECRET_PREVIOUS')
  expect(await kept()).toEqual(before)

  await platform.start(changed)
  expect(await isSignedIn()).toBe(true)
  await until('all is resealed', async () => (await log()).includes('everything is sealed with AUTH_SECRET'))
  await platform.stop()

  // The platform has stored the new secret, so it needs neither variable any more.
  await platform.start({})
  expect(await isSignedIn()).toBe(true)
  const browser = Object.assign(createPerson(platform.origin), { email: ada.email })
  expect((await browser.signIn()).body).toEqual({ twoFactorRedirect: true })
  expect((await browser.post('/api/auth/two-factor/verify-backup-code', { code })).status).toBe(200)
})
