import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from 'kysely'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { mailedToken } from '../support/mailbox.ts'
import type { MailTemplate } from '../../control-plane/src/mail/mail.ts'
import { PASSWORD, type Person } from '../support/person.ts'
import { until } from '../support/until.ts'

let cp: TestControlPlane
beforeAll(async () => {
  cp = await startControlPlane()
})
afterAll(() => cp.stop())

let count = 0
const join = async (): Promise<Person> => {
  const person = cp.person()
  await person.signUp({ email: `keeper${(count += 1)}@example.org` })
  return person
}
const mailed = async (person: Person, template: MailTemplate) => mailedToken(await cp.mailTo(person.email, template))
const askReset = async (person: Person) => {
  await cp.person().post('/api/auth/request-password-reset', { email: person.email })
  return mailed(person, 'reset-password')
}
const askLink = async (person: Person) => {
  // Written in another case: the address is the same one.
  await cp.person().post('/api/auth/sign-in/magic-link', { email: person.email.toUpperCase() })
  return mailed(person, 'magic-link')
}
const reset = (token: string, newPassword = 'chosen by a mailed link') =>
  cp.person().post('/api/auth/reset-password', { token, newPassword })
const useLink = (token: string) => cp.person().post('/api/auth/magic-link/verify', { token })
const change = (person: Person, body: Record<string, unknown> = {}) =>
  person.post('/api/auth/change-password', { currentPassword: PASSWORD, newPassword: 'chosen by its owner', ...body })
const askVerification = async (person: Person) => {
  await cp.unconfirm(person)
  await person.post('/api/auth/send-verification-email', { email: person.email })
  return mailed(person, 'verify-email')
}
const outstanding = async (person: Person) => {
  const verification = await askVerification(person)
  return { verification, resetToken: await askReset(person), link: await askLink(person) }
}
const expectEnded = async ({ resetToken, link }: { resetToken: string; link: string }) => {
  expect((await reset(resetToken, 'chosen by a thief')).body.code).toBe('INVALID_TOKEN')
  expect((await useLink(link)).status).toBe(302)
}

describe('a new password', () => {
  test('ends every mailed link and every other session when it is changed, whatever the body says', async () => {
    verifies('security.credential-change')
    const ada = await join()
    const other = cp.person()
    other.email = ada.email
    await other.signIn()
    const links = await outstanding(ada)
    expect((await change(ada, { revokeOtherSessions: false })).status).toBe(200)

    expect((await other.get('/api/settings')).status).toBe(401)
    expect((await ada.get('/api/settings')).status).toBe(200)
    await expectEnded(links)
    expect((await ada.post('/api/auth/verify-email', { token: links.verification })).body.code).toBe('INVALID_TOKEN')
    expect((await ada.signIn('chosen by its owner')).status).toBe(200)
  })

  test('ends them when it is set by a mailed link', async () => {
    const bea = await join()
    const links = await outstanding(bea)
    const second = await askReset(bea)
    expect((await reset(second)).status).toBe(200)
    expect((await bea.get('/api/settings')).status).toBe(401)
    await expectEnded(links)
  })

  test('ends them when an account without a password gets its first one', async () => {
    const cid = await join()
    await sql`delete from account where "userId" = ${cid.id}`.execute(cp.db)
    const links = await outstanding(cid)
    expect((await reset(await askReset(cid))).status).toBe(200)
    await expectEnded(links)
  })
})

test('a sign-in that is in flight while the password changes gives no session', async () => {
  verifies('security.credential-change')
  const [dan, eve] = [await join(), await join()]
  // New sessions wait for the lock, as on a database that is slow at the wrong moment.
  await sql`create function wait_in_test() returns trigger language plpgsql as
    'begin perform pg_advisory_xact_lock(4711); return new; end'`.execute(cp.db)
  await sql`create trigger wait_in_test before insert on session for each row execute function wait_in_test()`.execute(cp.db) // prettier-ignore
  const thief = cp.person()
  thief.email = dan.email
  try {
    const answer = await cp.db.connection().execute(async (db) => {
      await sql`select pg_advisory_lock(4711)`.execute(db)
      const signingIn = thief.signIn()
      await until('the new session waits', async () => {
        const waiting = await sql`select 1 from pg_locks where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`.execute(cp.db)
        return waiting.rows.length > 0
      })
      await sql`update account set password = (select password from account where "userId" = ${eve.id})
        where "userId" = ${dan.id}`.execute(db)
      await sql`select pg_advisory_unlock(4711)`.execute(db)
      return signingIn
    })
    expect(answer.status).toBe(401)
    expect((await thief.get('/api/settings')).status).toBe(401)
    const left = await sql`select 1 from session where "userId" = ${dan.id}`.execute(cp.db)
    expect(left.rows).toEqual([])
  } finally {
    await sql`drop trigger wait_in_test on session`.execute(cp.db)
  }
})

test('a changed address ends the links to the old one, and those of a deleted account end with it', async () => {
  verifies('security.credential-change')
  const dan = await join()
  const links = await outstanding(dan)
  await sql`update "user" set email = 'moved@example.org' where id = ${dan.id}`.execute(cp.db)
  expect((await dan.get('/api/settings')).status).toBe(401)
  await expectEnded(links)

  const eva = await join()
  const others = await outstanding(eva)
  await sql`delete from "user" where id = ${eva.id}`.execute(cp.db)
  await expectEnded(others)
})

test('a mailed link that was used ends the others', async () => {
  const fay = await join()
  const resetToken = await askReset(fay)
  const first = await askLink(fay)
  const second = await askLink(fay)
  expect((await useLink(second)).status).toBe(200)
  await expectEnded({ resetToken, link: first })
})

test('what is mailed to confirm an address is stored hashed and works once', async () => {
  const gil = await join()
  const token = await askVerification(gil)
  const rows = await sql`select * from mailed_verifications`.execute(cp.db)
  expect(rows.rows.length).toBeGreaterThan(0)
  expect(JSON.stringify(rows.rows)).not.toContain(token)
  expect((await gil.post('/api/auth/verify-email', { token })).status).toBe(200)
  expect((await gil.post('/api/auth/verify-email', { token })).body.code).toBe('INVALID_TOKEN')
})

describe('routes of the sign-in handler', () => {
  const closed = ['organization/list', 'list-accounts', 'token', 'ok', 'error', 'organization/get-full-organization']

  test('are reached by the table of paths alone, however an address is written', async () => {
    verifies('security.auth-routes')
    const hal = await join()
    const writings = (path: string) => [
      `callback/x\\..\\..\\${path.replaceAll('/', '\\')}`,
      `callback/x%5C..%5C..%5C${path.replaceAll('/', '%5C')}`,
      `callback/x%2F..%2F..%2F${path.replaceAll('/', '%2F')}`,
      `callback/..%2F${path.replaceAll('/', '%2F')}`,
      `callback/..\\${path.replaceAll('/', '\\')}`,
      `callback/.%2e/${path}`,
      `get-session/..\\${path.replaceAll('/', '\\')}`,
      `callback/oidc?/../../${path}`,
      `callback/oidc#/../../${path}`,
      `/${path}`,
    ]
    for (const path of closed)
      for (const written of writings(path)) {
        const answer = await hal.get(`/api/auth/${written}`)
        const led = answer.status === 302 ? answer.headers.location?.includes('error=') : answer.status >= 400
        expect(led, `${written}: ${answer.status} ${answer.text.slice(0, 200)}`).toBe(true)
      }
  })

  test('a callback knows its providers and parameters alone', async () => {
    const ivo = await join()
    expect((await ivo.get('/api/auth/callback/nobody?state=x')).body.error.code).toBe('not_found')
    expect((await ivo.get('/api/auth/callback/oidc?state=x&state=y')).body.error.code).toBe('invalid_request')
    expect((await ivo.get('/api/auth/callback/oidc?state=x')).headers.location).toContain('error=')
  })
})
