import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from 'kysely'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import type { Db } from '../../control-plane/src/db/database.ts'
import type { MailTemplate } from '../../control-plane/src/mail/mail.ts'
import { startIdentityProvider, type IdentityProvider } from '../support/identity-provider.ts'
import { PASSWORD, type Answer, type Person } from '../support/person.ts'
import { until } from '../support/until.ts'

let cp: TestControlPlane
let provider: IdentityProvider
beforeAll(async () => {
  provider = await startIdentityProvider()
  cp = await startControlPlane({
    environment: provider.environment,
  })
})
afterAll(async () => {
  await cp.stop()
  await provider.stop()
})

let count = 0
const join = async (domain = 'example.org'): Promise<Person> => {
  const person = cp.person()
  await person.signUp({ email: `keeper${(count += 1)}@${domain}` })
  return person
}
const tokenMailed = async ({ email }: Person, template: MailTemplate, ask: () => Promise<Answer>) =>
  (await cp.mailedBy(email, template, ask)).token
const askReset = (person: Person) =>
  tokenMailed(person, 'reset-password', () =>
    cp.person().post('/api/auth/request-password-reset', { email: person.email }),
  )
const askLink = (person: Person) =>
  // The same address in another case.
  tokenMailed(person, 'magic-link', () =>
    cp.person().post('/api/auth/sign-in/magic-link', { email: person.email.toUpperCase() }),
  )
const reset = (token: string, newPassword = 'chosen by a mailed link') =>
  cp.person().post('/api/auth/reset-password', { token, newPassword })
const useLink = (token: string) => cp.person().post('/api/auth/magic-link/verify', { token })
const change = (person: Person, body: Record<string, unknown> = {}) =>
  person.post('/api/auth/change-password', { currentPassword: PASSWORD, newPassword: 'chosen by its owner', ...body })
const askVerification = async (person: Person) => {
  await cp.unconfirm(person)
  return tokenMailed(person, 'verify-email', () =>
    person.post('/api/auth/send-verification-email', { email: person.email }),
  )
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

describe('a sign-in that is in flight while the password changes gives no session', () => {
  const profileOf = ({ email }: Person) => ({ sub: `sub of ${email}`, email, email_verified: true, name: 'Ada' })
  const beginAtProvider = async (browser: Person, owner: Person) => {
    const begun = await browser.post('/api/auth/sign-in/social', { provider: 'oidc', callbackURL: '/' })
    return provider.approve(begun.body.url, profileOf(owner))
  }
  const changePassword = (db: Db, person: Person, other: Person) =>
    sql`update account set password = (select password from account where "userId" = ${other.id}
      and password is not null) where "userId" = ${person.id} and password is not null`.execute(db)
  const untilItWaitsFor = async (holder: Db) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(holder)
    await until('the sign-in waits', async () => {
      const waiting = await sql`select 1 from pg_stat_activity where datname = current_database()
        and ${rows[0]!.pid} = any(pg_blocking_pids(pid))`.execute(cp.db)
      return waiting.rows.length > 0
    })
  }

  const ways: Record<string, (thief: Person, owner: Person) => Promise<() => Promise<Answer>>> = {
    'by password': async (thief) => () => thief.signIn(),
    'by a mailed link': async (thief, owner) => {
      const token = await askLink(owner)
      return () => thief.post('/api/auth/magic-link/verify', { token })
    },
    'at a provider': async (thief, owner) => {
      const joined = cp.person()
      await joined.get(await beginAtProvider(joined, owner)) // the provider is linked to the account
      expect((await joined.get('/api/settings')).status).toBe(200)
      const path = await beginAtProvider(thief, owner)
      return () => thief.get(path)
    },
  }
  const people = async () => {
    const [owner, other] = [await join('acme.test'), await join()]
    const thief = cp.person()
    thief.email = owner.email
    return { owner, other, thief }
  }
  const expectNoSession = async (answer: Answer, thief: Person, owner: Person) => {
    if (answer.status === 302) expect(answer.headers.location).toContain('error=')
    else expect(answer.status).toBe(401)
    expect((await thief.get('/api/settings')).status).toBe(401)
    expect((await sql`select 1 from session where "userId" = ${owner.id}`.execute(cp.db)).rows).toEqual([])
  }

  test.each(Object.keys(ways))('%s: it has not made its session when the change ends', async (way) => {
    verifies('security.credential-change')
    const { owner, other, thief } = await people()
    const signIn = await ways[way]!(thief, owner)
    // New sessions wait for an advisory lock, as on a database that is slow at the wrong moment.
    await sql`create or replace function wait_in_test() returns trigger language plpgsql as
      'begin perform pg_advisory_xact_lock(4711); return new; end'`.execute(cp.db)
    await sql`create trigger wait_in_test before insert on session for each row execute function wait_in_test()`.execute(
      cp.db,
    )
    try {
      const answer = await cp.db.connection().execute(async (db) => {
        await sql`select pg_advisory_lock(4711)`.execute(db)
        const signingIn = signIn()
        await untilItWaitsFor(db)
        await changePassword(db, owner, other)
        await sql`select pg_advisory_unlock(4711)`.execute(db)
        return signingIn
      })
      await expectNoSession(answer, thief, owner)
    } finally {
      await sql`drop trigger wait_in_test on session`.execute(cp.db)
    }
  })

  test.each(Object.keys(ways))('%s: it begins while the change is not committed', async (way) => {
    verifies('security.credential-change')
    const { owner, other, thief } = await people()
    const signIn = await ways[way]!(thief, owner)
    let signingIn: Promise<Answer> | undefined
    await cp.db.transaction().execute(async (db) => {
      await changePassword(db, owner, other)
      signingIn = signIn()
      await untilItWaitsFor(db)
    })
    await expectNoSession(await signingIn!, thief, owner)
  })
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
