import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { hurriedClock } from '../support/hurried-clock.ts'
import { mailedToken } from '../support/mailbox.ts'
import type { Answer, Person } from '../support/person.ts'

let cp: TestControlPlane
beforeAll(async () => {
  cp = await startControlPlane({ clock: hurriedClock(25) })
})
afterAll(() => cp.stop())

let count = 0
const join = async (): Promise<Person> => {
  const person = cp.person()
  await person.signUp({ email: `owner${(count += 1)}@example.org` })
  return person
}
const codeIn = ({ body }: Answer): unknown => body?.error?.code
const as = (email: string) => Object.assign(cp.person(), { email })
const signedIn = async (email: string): Promise<Person> => {
  const person = as(email)
  expect((await person.signIn()).status).toBe(200)
  return person
}
const emailOf = async ({ id }: Person) =>
  (await cp.db.selectFrom('user').select('email').where('id', '=', id).executeTakeFirstOrThrow()).email
const sessionsOf = ({ id }: Person) => cp.db.selectFrom('session').select('id').where('userId', '=', id).execute()
/** Moves the account to another address and returns the token of the link that undoes this. */
const move = async (person: Person, to: string): Promise<string> => {
  const old = person.email
  expect((await person.post('/api/settings/email', { email: to })).status).toBe(200)
  const token = mailedToken(await cp.mailTo(to, 'change-email'))
  expect((await person.post('/api/settings/email/confirm', { token })).status).toBe(200)
  return mailedToken(await cp.mailTo(old, 'email-changed'))
}
const undo = (token: string) => cp.person().post('/api/auth/email-change/undo', { token })
/** A thief in an open session moves the account twice. */
const steal = async () => {
  const owner = await join()
  const [a, b, c] = [owner.email, `b-${owner.email}`, `c-${owner.email}`]
  const toA = await move(owner, b)
  const toB = await move(await signedIn(b), c)
  return { owner, a, b, c, toA, toB }
}

test('a second change of address does not defeat the link that undoes the first', async () => {
  verifies('account.email-change')
  const { owner, a, c, toA, toB } = await steal()
  const thief = await signedIn(c)
  const undone = await undo(toA)
  expect([undone.status, undone.body]).toEqual([200, { ok: true, email: a }])
  expect(await emailOf(owner)).toBe(a)
  expect(await sessionsOf(owner)).toEqual([])
  expect((await thief.get('/api/settings')).status).toBe(401)

  expect(codeIn(await undo(toB)), 'the thief’s own link has ended').toBe('link_invalid')
  expect(codeIn(await undo(toA)), 'once').toBe('link_invalid')
  expect(await emailOf(owner)).toBe(a)
})

test('nor does it when the thief undoes the second change first, and changes the address again', async () => {
  verifies('account.email-change')
  const { owner, a, b, toA, toB } = await steal()
  expect((await undo(toB)).body).toEqual({ ok: true, email: b })
  const again = await move(await signedIn(b), `d-${a}`)
  expect((await undo(toA)).body).toEqual({ ok: true, email: a })
  expect(codeIn(await undo(again))).toBe('link_invalid')
  expect(await emailOf(owner)).toBe(a)
})

test('links undo in the order of the changes whichever clock they were made by', async () => {
  verifies('account.email-change')
  const { owner, a, toA, toB } = await steal()
  // A replica whose clock is ahead made the first two links.
  const ahead = new Date(Date.now() + 8 * 86_400_000)
  await cp.db.updateTable('email_changes').set({ expires_at: ahead }).where('user_id', '=', owner.id).execute()
  const thief = await signedIn(`c-${a}`)
  const third = await move(thief, `d-${a}`)
  expect((await undo(third)).status).toBe(200)
  expect((await undo(toA)).body).toEqual({ ok: true, email: a })
  expect(codeIn(await undo(toB))).toBe('link_invalid')
})

test('an address that another account has by now is named as the reason, and the link stays valid', async () => {
  verifies('account.email-change')
  const { owner, a, c, toA } = await steal()
  const other = cp.person()
  await other.signUp({ email: a })
  const refused = await undo(toA)
  expect([refused.status, codeIn(refused)]).toEqual([409, 'link_invalid'])
  expect(refused.body.error).toMatchObject({ details: { reason: 'account_exists' } })
  expect(refused.body.error.message).toContain('Another account has this address')
  expect(await emailOf(owner)).toBe(c)

  expect((await other.delete('/api/settings/account', { confirmation: a })).status).toBe(200)
  expect((await undo(toA)).body).toEqual({ ok: true, email: a })
})

test('links that are used at once leave the oldest address', async () => {
  verifies('account.email-change')
  const { owner, a, toA, toB } = await steal()
  const answers = await Promise.all([toB, toA, toB, toA].map(undo))
  expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([])
  expect(await emailOf(owner)).toBe(a)
})
