import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { createPerson } from '../support/person.ts'
import { startPlatform, type Platform } from '../support/platform.ts'

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

test('the secret of the platform changes without a sign-out; one that opens no stored key ends the start with 78', async () => {
  verifies('security.auth-secret', 'embedded.secret')
  const ada = createPerson(platform.origin, platform.mailbox)
  await ada.signUp({ email: 'ada@example.org' })
  const isSignedIn = async () => (await ada.get('/api/settings')).status === 200
  await platform.stop()

  const before = await kept()
  const foreign = platform.start({ AUTH_SECRET: second ?? '' })
  await expect(foreign).rejects.toThrow(/\(exit 78\)[^]*AUTH_SECRET does not open the keys[^]*secrets\.json/)
  expect(platform.output().trim().split('\n').at(-1)).toContain('AUTH_SECRET_PREVIOUS')
  expect(await kept()).toEqual(before)

  await platform.start(changed)
  expect(await isSignedIn()).toBe(true)
  await platform.stop()

  // The platform has stored the new secret, so it needs neither variable any more.
  await platform.start({})
  expect(await isSignedIn()).toBe(true)
})
