import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { mailedToken } from '../support/mailbox.ts'
import { PASSWORD, type Answer, type Person } from '../support/person.ts'
import { until } from '../support/until.ts'

let cp: TestControlPlane
let later = 0
beforeAll(async () => {
  cp = await startControlPlane({ clock: { ...systemClock, now: () => new Date(Date.now() + later) } })
  await cp.person().signUp({ email: 'known@example.org' })
})
afterAll(() => cp.stop())

/** The parts of a response that a stranger could compare: everything except values that are new in every response. */
const comparable = ({ status, headers, text, body }: Answer) => {
  const { date, 'set-cookie': cookies = [], ...rest } = headers
  const requestId = body?.error?.requestId as string | undefined
  const names = cookies.map((line) => line.replace(/=[^;]*/, ''))
  return { status, text: text.replace(requestId ?? '', ''), headers: { ...rest, date: typeof date, names } }
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
const begin = async (email: string, password = PASSWORD): Promise<Person> => {
  const person = cp.person()
  person.email = email
  expect((await person.post('/api/auth/sign-up/email', { ...account(email), password })).status).toBe(200)
  return person
}
const tokenOf = async (email: string) => mailedToken(await cp.mailTo(email, 'confirm-sign-up'))
const confirm = (person: Person, body: object) => person.post('/api/auth/sign-up/confirm', body)
const preview = (person: Person, token: string) => person.post('/api/auth/sign-up/preview', { token })

test.each([
  ['sign-up/email', account],
  ['sign-up/resend', (email: string) => ({ email })],
  ['request-password-reset', (email: string) => ({ email })],
  ['sign-in/magic-link', (email: string) => ({ email })],
  ['send-verification-email', (email: string) => ({ email })],
] as const)('%s answers alike for known and unknown addresses', async (path, bodyOf) => {
  verifies('security.sign-up')
  const known = await ask(path, bodyOf('known@example.org'))
  const unknown = await ask(path, bodyOf(`unknown-${path.replaceAll('/', '-')}@example.org`))
  expect(comparable(known)).toEqual(comparable(unknown))
  expect(JSON.stringify(known.headers['set-cookie'] ?? [])).not.toContain('svc_session')
})

test('who signs up and then signs in with the same password learns nothing either', async () => {
  verifies('security.sign-up')
  const signIn = async (email: string) => {
    const person = await begin(email, 'chosen by whoever asks')
    const began = performance.now()
    const answer = await person.signIn('chosen by whoever asks')
    expect(performance.now() - began).toBeGreaterThanOrEqual(249) // it waits for the beat, whatever its cost
    return comparable(answer)
  }
  const never = await ask('sign-in/email', { email: 'never-seen@example.org', password: PASSWORD })
  const known = await signIn('known@example.org')
  expect(known).toEqual(await signIn('outstanding@example.org'))
  expect(known).toEqual(comparable(never))
  expect([never.status, never.body.code]).toEqual([401, 'INVALID_EMAIL_OR_PASSWORD'])
})

test('a known address gets one mail that says so, an unknown one its first, and nothing of the account changes', async () => {
  verifies('security.sign-up')
  // An account of its own: mails of other tests may still be under way.
  await cp.person().signUp({ email: 'taken@example.org' })
  const before = (await mailsTo('taken@example.org')).length
  await ask('sign-up/email', account('TAKEN@example.org'))
  await ask('sign-up/email', account('fresh@example.org'))
  await until('both mails were sent', async () => {
    const sent = await Promise.all(['taken@example.org', 'fresh@example.org'].map(mailsTo))
    return sent[0]!.length > before && sent[1]!.length > 0
  })
  expect((await mailsTo('taken@example.org')).slice(before)).toEqual(['account-exists'])
  expect(await mailsTo('fresh@example.org')).toEqual(['confirm-sign-up'])

  const thief = cp.person()
  thief.email = 'taken@example.org'
  expect((await thief.signIn('chosen by whoever asks')).status).toBe(401)
  expect((await thief.signIn()).status).toBe(200)
  expect((await thief.get('/api/settings')).body.profile.name).toBe('Ada Example')
})

test('responses for known and unknown addresses come at the same fixed times, whatever they cost', async () => {
  const took = async (email: string) => {
    const began = performance.now()
    await ask('sign-up/email', account(email))
    return performance.now() - began
  }
  // Only a lower bound: how much later a response comes depends on the machine.
  for (const email of ['known@example.org', 'beat@example.org']) expect(await took(email)).toBeGreaterThanOrEqual(249)
})

describe('the mailed link', () => {
  test('makes the account in the browser that signed up and signs in; it works once', async () => {
    verifies('security.sign-up-confirmation')
    const ada = await begin('ada@example.org')
    expect(await cp.db.selectFrom('user').select('id').where('email', '=', ada.email).execute()).toEqual([])
    const token = await tokenOf(ada.email)
    const stored = JSON.stringify(await cp.db.selectFrom('pending_sign_ups').selectAll().execute())
    for (const secret of [token, PASSWORD, ...ada.cookies.values()]) expect(stored).not.toContain(secret)

    expect((await preview(ada, token)).body.signUp).toEqual({ email: ada.email, name: 'Ada', sameBrowser: true })
    expect((await confirm(ada, { token })).status).toBe(200)
    expect([...ada.cookies.keys()]).toEqual([expect.stringMatching(/^svc_session_/)])
    expect((await ada.get('/api/settings')).body.profile).toMatchObject({ name: 'Ada', emailVerified: true })
    expect((await confirm(ada, { token })).body.error.code).toBe('link_invalid')
    expect((await ada.signIn()).status).toBe(200)
  })

  test('in another browser it asks for a password: what a stranger chose never counts', async () => {
    verifies('security.sign-up-confirmation')
    const stranger = await begin('victim@example.org', 'the stranger knows it')
    const strangersLink = await tokenOf('victim@example.org')
    const victim = await begin('victim@example.org')
    await until('the second link came', async () => (await tokenOf('victim@example.org')) !== strangersLink)

    const refused = await confirm(victim, { token: strangersLink })
    expect(refused.body.error).toMatchObject({ code: 'invalid_request', details: [{ path: 'account' }] })
    expect((await preview(victim, strangersLink)).body.signUp.sameBrowser).toBe(false)
    const chosen = { name: 'Vic', password: 'chosen by the owner' }
    expect((await confirm(victim, { token: strangersLink, account: chosen })).status).toBe(200)
    expect((await victim.get('/api/settings')).body.profile).toMatchObject({ name: 'Vic', email: 'victim@example.org' })
    expect((await stranger.signIn('the stranger knows it')).status).toBe(401)
    expect((await victim.signIn('chosen by the owner')).status).toBe(200)
    expect(await cp.db.selectFrom('pending_sign_ups').where('email', '=', victim.email).selectAll().execute()).toEqual(
      [],
    )
  })

  test('two confirmations at once make one account', async () => {
    const eva = await begin('eva@example.org')
    const token = await tokenOf(eva.email)
    const answers = await Promise.all([confirm(eva, { token }), confirm(eva, { token }), confirm(eva, { token })])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
  })

  test('ends after a day, and is mailed again to whoever asks', async () => {
    const finn = await begin('finn@example.org')
    const first = await tokenOf(finn.email)
    const elsewhere = cp.person()
    expect((await elsewhere.post('/api/auth/sign-up/resend', { email: finn.email })).status).toBe(200)
    await until('the mail came again', async () => (await tokenOf(finn.email)) !== first)
    const second = await tokenOf(finn.email)
    expect((await preview(finn, first)).body.signUp.sameBrowser).toBe(true)
    expect((await preview(finn, second)).body.signUp.sameBrowser).toBe(true)
    later = 25 * 3_600_000
    try {
      expect((await confirm(finn, { token: second })).body.error.code).toBe('link_invalid')
    } finally {
      later = 0
    }
    expect((await confirm(finn, { token: second })).status).toBe(200)
    expect((await confirm(finn, { token: first })).body.error.code).toBe('link_invalid')
  })

  test('keeps the page to go to, which is one of this app', async () => {
    const gus = cp.person()
    const body = { ...account('gus@example.org'), callbackURL: '/invitations/inv_x' }
    await gus.post('/api/auth/sign-up/email', body)
    const { link } = await cp.mailTo('gus@example.org')
    expect(link).toMatch(`${cp.origin}/sign-up/confirm?next=%2Finvitations%2Finv_x#token=`)
    const away = await gus.post('/api/auth/sign-up/email', { ...body, callbackURL: 'https://evil.example' })
    expect(away.body.error.details).toMatchObject([{ path: 'callbackURL' }])
  })
})
