import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { codeOf, enrol, forgetUsedCodes, wrongCodeOf } from '../support/authenticator.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { hurriedClock } from '../support/hurried-clock.ts'
import { startIdentityProvider, type IdentityProvider } from '../support/identity-provider.ts'
import { mailedToken } from '../support/mailbox.ts'
import { PASSWORD, type Answer, type Person } from '../support/person.ts'

let cp: TestControlPlane
let provider: IdentityProvider
beforeAll(async () => {
  provider = await startIdentityProvider()
  cp = await startControlPlane({
    clock: hurriedClock(25),
    environment: provider.environment,
  })
})
afterAll(async () => {
  await cp.stop()
  await provider.stop()
})

let count = 0
const join = async (): Promise<Person> => {
  const person = cp.person()
  await person.signUp({ email: `careful${(count += 1)}@acme.test` })
  return person
}
const joinWithApp = async () => {
  const person = await join()
  return { person, ...(await enrol(person, { db: cp.db, password: PASSWORD })) }
}
const isSignedIn = async (person: Person) => (await person.get('/api/settings')).status === 200
const sendCode = (person: Person, code: string) => person.post('/api/auth/two-factor/verify-totp', { code })
const browserOf = ({ email }: Person): Person => Object.assign(cp.person(), { email })
const codeIn = ({ body }: Answer): unknown => body?.error?.code

test('an authenticator app counts once it has shown a right code, and ends every session but that one', async () => {
  verifies('auth.two-factor')
  const person = await join()
  const elsewhere = browserOf(person)
  await elsewhere.signIn()
  expect((await person.get('/api/settings')).body.signIn).toEqual({
    password: true,
    twoFactor: false,
    recoveryCodesLeft: null,
  })

  expect((await person.post('/api/auth/two-factor/enable', { password: 'a wrong one' })).body.code).toBe(
    'INVALID_PASSWORD',
  )
  const begun = await person.post('/api/auth/two-factor/enable', { password: PASSWORD })
  expect(begun.body.backupCodes).toHaveLength(10)
  // Sign-in requires no code until the app has produced a correct one.
  expect((await browserOf(person).signIn()).body.token).toBeTypeOf('string')
  const wrong = await person.post('/api/auth/two-factor/confirm', { code: wrongCodeOf(begun.body.totpURI) })
  expect([wrong.status, codeIn(wrong)]).toEqual([403, 'code_invalid'])
  expect((await person.get('/api/settings')).body.signIn.twoFactor).toBe(false)

  const session = [...person.cookies.values()][0]
  expect((await person.post('/api/auth/two-factor/confirm', { code: codeOf(begun.body.totpURI) })).status).toBe(200)
  expect((await person.get('/api/settings')).body.signIn.twoFactor).toBe(true)
  expect([...person.cookies.values()][0]).not.toBe(session)
  expect(await isSignedIn(elsewhere)).toBe(false)
  expect((await cp.mailTo(person.email, 'two-factor-on')).subject).toContain('on')
})

test('a password leads to the question for a code, and to no session before it', async () => {
  verifies('auth.two-factor')
  const { person, uri } = await joinWithApp()
  const browser = browserOf(person)
  const asked = await browser.signIn()
  expect([asked.status, asked.body]).toEqual([200, { twoFactorRedirect: true }])
  expect(await isSignedIn(browser)).toBe(false)
  expect(codeIn(await sendCode(browser, wrongCodeOf(uri)))).toBe('code_invalid')
  expect(await isSignedIn(browser)).toBe(false)
  // Apps show the digits in two groups.
  expect((await sendCode(browser, codeOf(uri).replace(/^.../, '$& '))).status).toBe(200)
  expect(await isSignedIn(browser)).toBe(true)
  expect(await isSignedIn(person), 'the session of the other browser lives on').toBe(true)
})

test('a mailed link and a provider lead to it as well', async () => {
  verifies('auth.two-factor')
  const { person, uri } = await joinWithApp()
  const byLink = browserOf(person)
  await byLink.post('/api/auth/sign-in/magic-link', { email: person.email })
  const token = mailedToken(await cp.mailTo(person.email, 'magic-link'))
  expect((await byLink.post('/api/auth/magic-link/verify', { token })).body).toEqual({ twoFactorRedirect: true })
  expect(await isSignedIn(byLink)).toBe(false)
  expect((await sendCode(byLink, codeOf(uri))).status).toBe(200)
  expect(await isSignedIn(byLink)).toBe(true)

  const byProvider = browserOf(person)
  const started = await byProvider.post('/api/auth/sign-in/social', { provider: 'oidc', callbackURL: '/profile?x=1' })
  const profile = { sub: 'sub', email: person.email, email_verified: true, name: 'From Acme' }
  const back = await byProvider.get(provider.approve(started.body.url, profile))
  expect([back.status, back.headers.location]).toEqual([302, `${cp.origin}/sign-in/code?next=%2Fprofile%3Fx%3D1`])
  expect(await isSignedIn(byProvider)).toBe(false)
  expect((await sendCode(byProvider, codeOf(uri, 1))).status).toBe(200)
  expect(await isSignedIn(byProvider)).toBe(true)
})

test('a code is good once, and five wrong ones end the sign-in', async () => {
  verifies('auth.two-factor-tries')
  const { person, uri } = await joinWithApp()
  const code = codeOf(uri)
  const first = browserOf(person)
  await first.signIn()
  expect((await sendCode(first, code)).status).toBe(200)
  const second = browserOf(person)
  await second.signIn()
  expect(codeIn(await sendCode(second, code))).toBe('code_invalid')
  expect(await isSignedIn(second)).toBe(false)

  const third = browserOf(person)
  await third.signIn()
  for (let tries = 0; tries < 5; tries += 1)
    expect(codeIn(await sendCode(third, wrongCodeOf(uri)))).toBe('code_invalid')
  await forgetUsedCodes(cp.db)
  expect(codeIn(await sendCode(third, codeOf(uri)))).toBe('sign_in_expired')
  expect(codeIn(await sendCode(cp.person(), codeOf(uri))), 'without a sign-in that waits').toBe('sign_in_expired')
})

test('ten wrong codes in a row lock the account for codes, whichever address they come from', async () => {
  verifies('auth.two-factor-tries')
  const { person, uri } = await joinWithApp()
  for (let round = 0; round < 2; round += 1) {
    const browser = browserOf(person)
    await browser.signIn()
    for (let tries = 0; tries < 5; tries += 1) await sendCode(browser, wrongCodeOf(uri))
  }
  const browser = browserOf(person)
  await browser.signIn()
  const locked = await sendCode(browser, codeOf(uri))
  expect([locked.status, codeIn(locked)]).toEqual([429, 'too_many_requests'])
  expect(await isSignedIn(person), 'who is signed in stays so').toBe(true)
})

test('a recovery code signs in once, and new ones replace the old', async () => {
  verifies('auth.two-factor-recovery', 'auth.recovery-codes-left')
  const { person, recoveryCodes } = await joinWithApp()
  const left = async () => (await person.get('/api/settings')).body.signIn.recoveryCodesLeft
  const [first = '', second = ''] = recoveryCodes
  const use = async (code: string) => {
    const browser = browserOf(person)
    await browser.signIn()
    const answer = await browser.post('/api/auth/two-factor/verify-backup-code', { code })
    return { answer, signedIn: await isSignedIn(browser) }
  }
  expect(await left()).toBe(10)
  expect((await use(first)).signedIn).toBe(true)
  expect(await left()).toBe(9)
  expect((await cp.mailTo(person.email, 'recovery-code-used')).subject).toContain('recovery code')
  const again = await use(first)
  expect([codeIn(again.answer), again.signedIn]).toEqual(['code_invalid', false])

  const made = await person.post('/api/auth/two-factor/generate-backup-codes', { password: PASSWORD })
  expect(made.body.backupCodes).toHaveLength(10)
  expect(await left()).toBe(10)
  expect((await use(second)).signedIn).toBe(false)
  expect((await use(made.body.backupCodes[0])).signedIn).toBe(true)
  // Two browsers use the same code at the same time: only one gets in.
  const both = await Promise.all([use(made.body.backupCodes[1]), use(made.body.backupCodes[1])])
  expect(both.filter(({ signedIn }) => signedIn)).toHaveLength(1)
})

test('turning it off ends the other sessions, and sign-in asks for no code', async () => {
  verifies('auth.two-factor')
  const { person, uri } = await joinWithApp()
  const elsewhere = browserOf(person)
  await elsewhere.signIn()
  await sendCode(elsewhere, codeOf(uri))
  expect((await person.post('/api/auth/two-factor/disable', {})).body.code).toBe('INVALID_PASSWORD')
  expect((await person.post('/api/auth/two-factor/disable', { password: PASSWORD })).status).toBe(200)
  expect([await isSignedIn(person), await isSignedIn(elsewhere)]).toEqual([true, false])
  expect((await browserOf(person).signIn()).body.token).toBeTypeOf('string')
})

test('changes of the second factor need a sign-in of the last ten minutes and a confirmed address', async () => {
  verifies('auth.two-factor-fresh')
  const { person } = await joinWithApp()
  const tenMinutesAgo = new Date(Date.now() - 11 * 60_000)
  await cp.db.updateTable('session').set({ createdAt: tenMinutesAgo }).where('userId', '=', person.id).execute()
  for (const path of ['enable', 'disable', 'generate-backup-codes'])
    expect(codeIn(await person.post(`/api/auth/two-factor/${path}`, { password: PASSWORD })), path).toBe(
      'fresh_sign_in_required',
    )
  expect(codeIn(await person.post('/api/auth/two-factor/confirm', { code: '123456' }))).toBe('fresh_sign_in_required')

  const stranger = await join()
  await cp.unconfirm(stranger)
  expect(codeIn(await stranger.post('/api/auth/two-factor/enable', { password: PASSWORD }))).toBe('forbidden')
})

test('a new password ends a sign-in that waits for its code', async () => {
  verifies('security.credential-change')
  const { person, uri } = await joinWithApp()
  const waiting = browserOf(person)
  await waiting.signIn()
  await person.post('/api/auth/change-password', { currentPassword: PASSWORD, newPassword: 'chosen by its owner' })
  expect(codeIn(await sendCode(waiting, codeOf(uri)))).toBe('sign_in_expired')
})

test('secrets and recovery codes are stored encrypted, and reach no log', async () => {
  verifies('auth.two-factor-recovery', 'security.log-canary')
  const { person, uri, recoveryCodes } = await joinWithApp()
  const stored = JSON.stringify(
    await cp.db.selectFrom('twoFactor').selectAll().where('userId', '=', person.id).execute(),
  )
  for (const secret of [new URL(uri).searchParams.get('secret') ?? '-', ...recoveryCodes]) {
    expect(stored).not.toContain(secret)
    expect(cp.logged()).not.toContain(secret)
  }
})
