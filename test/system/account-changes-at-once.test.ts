import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { consent, LOOPBACK_REDIRECT, rawAgent } from '../support/agent-client.ts'
import { enrol } from '../support/authenticator.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { handLocks } from '../support/hand-locks.ts'
import { PASSWORD, type Answer, type Person } from '../support/person.ts'
import { until } from '../support/until.ts'

const ROUNDS = 3

let cp: TestControlPlane
const { countWaiting, waiting, whileLocked } = handLocks(() => cp.db)
beforeAll(async () => {
  cp = await startControlPlane({ working: true, environment: { MCP_ENABLED: '1' } })
})
afterAll(() => cp.stop())

/** A person with a program that has tokens and a code for more of them, and with links of two mails. */
async function joinWithProgram() {
  const person = cp.person()
  const email = `${crypto.randomUUID()}@example.org`
  await person.signUp({ email })
  const { id } = (await person.post('/api/provisioning/orgs/self-hosted', { name: 'Acme' })).body.organization
  const agent = rawAgent(cp.origin)
  const { client_id: clientId } = (await agent.register({ redirect_uris: [LOOPBACK_REDIRECT] })).body
  const codeFor = async (state: string) => {
    const url = agent.authorizationUrl(clientId, { state })
    return (await consent(person, url, { vaults: [{ orgId: id, vaultId: null }] })).searchParams.get('code') ?? ''
  }
  const { refresh_token: refresh } = (await agent.exchange(clientId, await codeFor('first'))).body
  const code = await codeFor('second')
  // The account can only be deleted when nobody needs it as an admin.
  await person.delete(`/api/orgs/${id}`, { name: 'Acme' })
  const { token: toConfirm } = await cp.mailedBy(`new-${email}`, 'change-email', () =>
    person.post('/api/settings/email', { email: `new-${email}` }),
  )
  const { token: toReset } = await cp.mailedBy(email, 'reset-password', () =>
    cp.person().post('/api/auth/request-password-reset', { email }),
  )
  return { person, email, agent, clientId, refresh: String(refresh), code, toConfirm, toReset }
}
type Joined = Awaited<ReturnType<typeof joinWithProgram>>
type Send = (joined: Joined) => Promise<Answer>

const newPassword = `${PASSWORD} and more`
const deleteAccount = (person: Person, confirmation: string) => person.delete('/api/settings/account', { confirmation })

/** What ends all programs of a person. */
const endings: Record<string, Send> = {
  'the account is deleted': ({ person, email }) => deleteAccount(person, email),
  'the address changes': ({ person, toConfirm }) => person.post('/api/settings/email/confirm', { token: toConfirm }),
  'the password changes': ({ person }) =>
    person.post('/api/auth/change-password', { currentPassword: PASSWORD, newPassword }),
  'the password is reset': ({ toReset }) =>
    cp.person().post('/api/auth/reset-password', { token: toReset, newPassword }),
}
const renewals: Record<string, Send> = {
  'exchanges a code': ({ agent, clientId, code }) => agent.exchange(clientId, code),
  'renews its tokens': ({ agent, clientId, refresh }) => agent.refresh(clientId, refresh),
}

test.for(Object.keys(endings))('a program that gets tokens while %s does not keep them', async (ending) => {
  verifies('agents.revocation', 'security.credential-change')
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, renew] of Object.entries(renewals)) {
      const joined = await joinWithProgram()
      const [ended, renewed] = await Promise.all([endings[ending]!(joined), renew(joined)])
      expect([name, ended.status]).toEqual([name, 200])
      if (renewed.status !== 200) {
        expect([name, renewed.status, renewed.body]).toEqual([
          name,
          400,
          expect.objectContaining({ error: 'invalid_grant' }),
        ])
        continue
      }
      expect((await joined.agent.mcp(renewed.body.access_token)).status, name).toBe(401)
      expect((await joined.agent.refresh(joined.clientId, renewed.body.refresh_token)).status, name).toBe(400)
    }
})

test('a code that is exchanged twice at once gives tokens at most once', async () => {
  verifies('agents.revocation')
  for (let round = 0; round < ROUNDS; round++) {
    const joined = await joinWithProgram()
    const exchange = renewals['exchanges a code']!
    const answers = await Promise.all([exchange(joined), exchange(joined)])
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused.length).toBeGreaterThanOrEqual(1)
    for (const { status, body } of refused) expect([status, body.error]).toEqual([400, 'invalid_grant'])
  }
})

/** What the sign-in library and our own routes do in several steps. */
const ownChanges: Record<string, (person: Person) => Promise<Answer>> = {
  'a profile changes': (person) => person.patch('/api/settings/profile', { name: 'Another' }),
  'two-factor sign-in is turned off': (person) => person.post('/api/auth/two-factor/disable', { password: PASSWORD }),
  'a password changes': (person) =>
    person.post('/api/auth/change-password', { currentPassword: PASSWORD, newPassword }),
  'sessions end': (person) => person.post('/api/auth/revoke-other-sessions'),
}

test.for(Object.keys(ownChanges))('an account is deleted while %s', async (name) => {
  verifies('account.deletion')
  for (let round = 0; round < ROUNDS; round++) {
    const person = cp.person()
    const email = `${crypto.randomUUID()}@example.org`
    await person.signUp({ email })
    await enrol(person, { db: cp.db, password: PASSWORD })
    const [changed, deleted] = await Promise.all([ownChanges[name]!(person), deleteAccount(person, email)])
    // Each of them may find that the other one has ended its session.
    expect([200, 401]).toContain(changed.status)
    expect([200, 401]).toContain(deleted.status)
  }
})

/** Sends a request, and deletes the account of `email` while that waits to read `table`. */
async function deletedBefore(table: 'user' | 'account', email: string, send: () => Promise<Answer>): Promise<Answer> {
  const answer = await cp.db.transaction().execute(async (trx) => {
    await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(trx)
    const sent = send()
    await until('the request waits', async () => {
      const { rows } = await sql`
        select from pg_locks where not granted and relation = ${`"${table}"`}::regclass`.execute(trx)
      return rows.length > 0
    })
    await sql`delete from "user" where email = ${email}`.execute(trx)
    return () => sent
  })
  return answer()
}

test('a change of the password finds the account deleted', async () => {
  verifies('account.deletion')
  const person = cp.person()
  const email = `${crypto.randomUUID()}@example.org`
  await person.signUp({ email })
  const changed = await deletedBefore('account', email, () => ownChanges['a password changes']!(person))
  expect([changed.status, changed.body.error?.code]).toEqual([401, 'unauthenticated'])
})

test('a renewal of tokens finds the account deleted', async () => {
  verifies('agents.revocation')
  const joined = await joinWithProgram()
  const renewed = await deletedBefore('user', joined.email, () => renewals['renews its tokens']!(joined))
  expect([renewed.status, renewed.body.error]).toEqual([400, 'invalid_grant'])
})

/** Neither may have failed, and no token outlives the change. */
async function expectBothEnded({ agent, clientId }: Joined, [changed, renewed]: [Answer, Answer]) {
  expect([changed.status, changed.body]).toEqual([200, expect.anything()])
  if (renewed.status !== 200) return expect([renewed.status, renewed.body.error]).toEqual([400, 'invalid_grant'])
  expect((await agent.refresh(clientId, renewed.body.refresh_token)).status).toBe(400)
}

test('a change of the address and a token that is stored meanwhile do not wait for each other', async () => {
  verifies('agents.revocation')
  const joined = await joinWithProgram()
  const sessions = sql`select from session where "userId" = (select id from "user" where email = ${joined.email})`
  let settled = false
  const [changing, renewing] = await whileLocked(sql`${sessions} for key share`, async () => {
    const begun = await whileLocked(sql`lock table "oauthAccessToken" in access exclusive mode`, async () => {
      // It has stored a refresh token, and waits to store the access token.
      const renewing = renewals['renews its tokens']!(joined).finally(() => (settled = true))
      await waiting(1)
      const changing = endings['the address changes']!(joined)
      await waiting(2)
      return [changing, renewing] as const
    })
    await until('the renewal is over or waits too', async () => settled || (await countWaiting()) >= 2)
    return begun
  })
  await expectBothEnded(joined, await Promise.all([changing, renewing]))
})

test('nor do a change of the password and a token that is stored meanwhile', async () => {
  verifies('agents.revocation')
  const joined = await joinWithProgram()
  const person = sql`select from "user" where email = ${joined.email} for update`
  const [changing, renewing] = await whileLocked(person, async () => {
    const changing = endings['the password changes']!(joined)
    await waiting(1)
    const renewing = renewals['renews its tokens']!(joined)
    await waiting(2)
    return [changing, renewing] as const
  })
  await expectBothEnded(joined, await Promise.all([changing, renewing]))
})

test('a program whose tokens the database does not give now is told so in the words of OAuth', async () => {
  const joined = await joinWithProgram()
  const renewing = await whileLocked(sql`lock table "oauthRefreshToken" in access exclusive mode`, async () => {
    const renewing = renewals['renews its tokens']!(joined)
    await waiting(1)
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(cp.db)
    return renewing
  })
  expect([renewing.status, renewing.body]).toEqual([
    503,
    { error: 'temporarily_unavailable', error_description: expect.any(String) },
  ])
  // Another connection of the pool may have been ended as well.
  await until('it gets them later', async () => (await renewals['renews its tokens']!(joined)).status === 200)
})

test('a program whose renewal the database loses in the middle keeps its sign-in and may try again', async () => {
  verifies('agents.refresh')
  const joined = await joinWithProgram()
  const renew = () => renewals['renews its tokens']!(joined)
  const renewing = await whileLocked(sql`lock table "oauthAccessToken" in share mode`, async () => {
    const renewing = renew()
    await waiting(1)
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(cp.db)
    return renewing
  })
  expect([renewing.status, renewing.body.error]).toEqual([503, 'temporarily_unavailable'])

  // Another connection of the pool may have been ended as well.
  const renewLater = async () => {
    let renewed = await renew()
    await until('the database is there', async () => renewed.status !== 503 || (renewed = await renew()).status !== 503)
    return renewed
  }
  const again = await Promise.all([renewLater(), renewLater()])
  expect(again.map(({ status, body }) => [status, body.error])).toEqual([
    [200, undefined],
    [200, undefined],
  ])
  expect(again[0]!.body.refresh_token).toBe(again[1]!.body.refresh_token)
  expect((await joined.agent.mcp(again[0]!.body.access_token)).status).toBe(200)
  expect((await joined.agent.refresh(joined.clientId, again[0]!.body.refresh_token)).status).toBe(200)
})
