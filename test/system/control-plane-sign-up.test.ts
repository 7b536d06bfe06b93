import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import type { Answer } from '../support/person.ts'
import { until } from '../support/until.ts'

let cp: TestControlPlane
beforeAll(async () => {
  cp = await startControlPlane()
  await cp.person().signUp({ email: 'known@example.org' })
})
afterAll(() => cp.stop())

/** What of an answer a stranger can compare: all of it but what is new in every answer. */
const comparable = ({ status, headers, text }: Answer) => {
  const { date, ...rest } = headers
  return { status, text, headers: { ...rest, date: typeof date } }
}
const mailsTo = async (address: string): Promise<string[]> => {
  const rows = await cp.db
    .selectFrom('outbox')
    .select('template')
    .where('recipient', '=', address)
    .orderBy('id')
    .execute()
  return rows.map(({ template }) => template)
}
const ask = (path: string, body: object) => cp.person().post(`/api/auth/${path}`, body)
const account = (email: string) => ({ name: 'Ada', email, password: 'chosen by whoever asks' })

test.each([
  ['sign-up/email', account],
  ['request-password-reset', (email: string) => ({ email })],
  ['sign-in/magic-link', (email: string) => ({ email })],
  ['send-verification-email', (email: string) => ({ email })],
] as const)('%s answers alike for known and unknown addresses', async (path, bodyOf) => {
  verifies('security.sign-up')
  const known = await ask(path, bodyOf('known@example.org'))
  const unknown = await ask(path, bodyOf(`unknown-${path.replaceAll('/', '-')}@example.org`))
  expect(comparable(known)).toEqual(comparable(unknown))
  expect(known.headers['set-cookie']).toBeUndefined()
})

test('a known address gets one mail that says so, an unknown one its first, and nothing of the account changes', async () => {
  verifies('security.sign-up')
  const before = (await mailsTo('known@example.org')).length
  await ask('sign-up/email', account('KNOWN@example.org'))
  await ask('sign-up/email', account('fresh@example.org'))
  await until('both mails were sent', async () => {
    const sent = await Promise.all(['known@example.org', 'fresh@example.org'].map(mailsTo))
    return sent[0]!.length > before && sent[1]!.length > 0
  })
  expect((await mailsTo('known@example.org')).slice(before)).toEqual(['account-exists'])
  expect(await mailsTo('fresh@example.org')).toEqual(['verify-email'])

  const thief = cp.person()
  thief.email = 'known@example.org'
  expect((await thief.signIn('chosen by whoever asks')).status).toBe(401)
  expect((await thief.signIn()).status).toBe(200)
  expect((await thief.get('/api/settings')).body.profile.name).toBe('Ada Example')
})

test('answers come at the same beats for known and unknown addresses, whatever they cost', async () => {
  const took = async (email: string) => {
    const began = performance.now()
    await ask('sign-up/email', account(email))
    return performance.now() - began
  }
  // A lower bound alone: how much later an answer comes is the machine's affair.
  for (const email of ['known@example.org', 'beat@example.org']) expect(await took(email)).toBeGreaterThanOrEqual(249)
})
