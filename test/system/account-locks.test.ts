import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock as clock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { accountChangesRepository } from '../../control-plane/src/accounts/account-changes.repository.ts'
import { accountsRepository } from '../../control-plane/src/accounts/accounts.repository.ts'
import { secondFactorsRepository } from '../../control-plane/src/accounts/second-factors.repository.ts'
import { openDatabase, type Db } from '../../control-plane/src/db/database.ts'
import { verifies } from '../requirements.ts'
import { handLocks } from '../support/hand-locks.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'

let database: TestDatabase
let opened: ReturnType<typeof openDatabase>
let db: Db
beforeAll(async () => {
  database = await createTestDatabase()
  opened = openDatabase({ url: database.url, log: createLog({ service: 'test', level: 'silent' }), max: 4 })
  db = opened.db
})
afterAll(async () => {
  await opened.close()
  await database.drop()
})
const { waiting, whileLocked } = handLocks(() => db)

const insertSession = ({ id }: { id: string }) =>
  sql`
    insert into session (id, token, "userId", "expiresAt", "updatedAt")
      values (${id}, ${id}, ${id}, now() + interval '1 day', now())`.execute(db)

/** A person who has an authenticator app and a session, and has not confirmed the address. */
async function insertPersonWithoutPassword() {
  const id = crypto.randomUUID()
  const email = `${id}@example.org`
  await sql`
    insert into "user" (id, name, email, "emailVerified", "twoFactorEnabled") values (${id}, 'Ada', ${email}, false, true)`.execute(
    db,
  )
  await insertSession({ id })
  return { id, email }
}
type Inserted = Awaited<ReturnType<typeof insertPersonWithoutPassword>>

const setFirstPassword = ({ id }: Inserted) =>
  sql`
    insert into account (id, "accountId", "providerId", "userId", password, "updatedAt")
      values (${id}, ${id}, 'credential', ${id}, 'a hash', now())`.execute(db)

/** A person who has a password, too. */
async function insertPerson() {
  const person = await insertPersonWithoutPassword()
  await setFirstPassword(person)
  // Setting the password has ended the sessions.
  await insertSession(person)
  return person
}

const changePassword = ({ id }: Inserted) =>
  sql`update account set password = 'another hash' where "userId" = ${id}`.execute(db)

/** Changes of the whole account, which the change of a password may meet. */
const changes: Record<string, (person: Inserted) => Promise<unknown>> = {
  'two-factor sign-in is reset': ({ email }) => secondFactorsRepository(db, clock).reset(email, async () => {}),
  'the account is taken over': ({ id }) => accountsRepository(db, clock).updateTakenOver(id),
  'the address is signed up and proven': ({ email }) =>
    accountsRepository(db, clock).insertProvenAccount({
      email,
      name: 'Ada',
      passwordHash: 'their hash',
      session: { token: crypto.randomUUID(), expiresAt: new Date(clock.now().getTime() + 60_000) },
    }),
  'the account is deleted': ({ id }) =>
    accountChangesRepository(db, clock).deleteAccount(id, { before: async () => {}, after: async () => {} }),
}
/** What holds up both until they have what they lock before it. */
const holds: Record<string, (person: Inserted) => ReturnType<typeof sql>> = {
  'the sessions': ({ id }) => sql`select from session where "userId" = ${id} for key share`,
  'the person': ({ id }) => sql`select from "user" where id = ${id} for update`,
}
const orders = ['first', 'last'] as const
const cases = Object.keys(changes).flatMap((change) =>
  Object.keys(holds).flatMap((hold) => orders.map((order) => [change, hold, order] as const)),
)

/** Both begin while something is held up, in one order or the other. */
const bothAtOnce = async (
  hold: ReturnType<typeof sql>,
  order: (typeof orders)[number],
  begins: (() => Promise<unknown>)[],
) => {
  const begun = await whileLocked(hold, async () => {
    const running: Promise<unknown>[] = []
    for (const begin of order === 'first' ? begins.toReversed() : begins) {
      running.push(begin())
      await waiting(running.length)
    }
    return () => Promise.allSettled(running)
  })
  return (await begun()).map(({ status }) => status)
}

test.for(cases)('%s while a password changes: with %s held, and %s, neither fails', async ([change, hold, order]) => {
  verifies('account.changes-at-once')
  const person = await insertPerson()
  const begins = [() => changePassword(person), () => changes[change]!(person)]
  expect(await bothAtOnce(holds[hold]!(person), order, begins)).toEqual(['fulfilled', 'fulfilled'])
})

test.for(orders)('two-factor sign-in is reset while the first password is set: %s, neither fails', async (order) => {
  verifies('account.changes-at-once')
  const person = await insertPersonWithoutPassword()
  const begins = [() => setFirstPassword(person), () => changes['two-factor sign-in is reset']!(person)]
  expect(await bothAtOnce(holds['the sessions']!(person), order, begins)).toEqual(['fulfilled', 'fulfilled'])
})

test('an address that another account takes at that moment is taken, whichever way it was to be changed', async () => {
  verifies('account.changes-at-once')
  const accountChanges = accountChangesRepository(db, clock)
  const [person, other] = [await insertPersonWithoutPassword(), await insertPersonWithoutPassword()]
  const change = { userId: person.id, oldEmail: person.email, newEmail: `new-${person.email}` }
  const expiresAt = new Date(clock.now().getTime() + 60_000)
  const whileTaken = async <T>(email: string, act: () => Promise<T>) => {
    const begun = await whileLocked(sql`update "user" set email = ${email} where id = ${other.id}`, async () => {
      const acting = act()
      await waiting(1)
      return () => acting
    })
    return begun()
  }
  const confirm = () => accountChanges.confirmChange('confirms', { ...change, secretHash: 'undoes', expiresAt })
  await accountChanges.replaceConfirmation({ ...change, secretHash: 'confirms', expiresAt })
  expect(await whileTaken(change.newEmail, confirm)).toBe(false)

  await sql`update "user" set email = ${other.email} where id = ${other.id}`.execute(db)
  expect(await confirm()).toBe(true)
  expect(await whileTaken(change.oldEmail, () => accountChanges.undoChange('undoes', change))).toBe('taken')
})

/** As pg_restore does: it creates the foreign keys of a table in the order of their names. */
async function restoreForeignKeys(table: string) {
  const { rows } = await sql<{ name: string; definition: string }>`
    select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
    where conrelid = ${`"${table}"`}::regclass and contype = 'f' order by conname collate "C"`.execute(db)
  for (const { name, definition } of rows) {
    await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(name)}`.execute(db)
    await sql`alter table ${sql.table(table)} add constraint ${sql.ref(name)} ${sql.raw(definition)}`.execute(db)
  }
}

test('a token that is stored while the account is deleted holds nothing up, also in a restored database', async () => {
  verifies('account.changes-at-once')
  await restoreForeignKeys('oauthAccessToken')
  await restoreForeignKeys('oauthRefreshToken')
  const { id, email } = await insertPerson()
  await sql`insert into "oauthClient" (id, "clientId", "redirectUris") values (${id}, ${id}, '[]')`.execute(db)
  await sql`
    insert into "oauthRefreshToken" (id, token, "clientId", "sessionId", "userId", "expiresAt", "createdAt", scopes)
      values (${id}, ${id}, ${id}, ${id}, ${id}, now(), now(), '[]')`.execute(db)
  const storeToken = () =>
    sql`
      insert into "oauthAccessToken"
          (id, token, "clientId", "sessionId", "userId", "refreshId", "expiresAt", "createdAt", scopes)
        values (${id}, ${id}, ${id}, ${id}, ${id}, ${id}, now(), now(), '[]')`.execute(db)
  const begun = await whileLocked(holds['the person']!({ id, email }), async () => {
    const deleting = changes['the account is deleted']!({ id, email })
    await waiting(1)
    const storing = storeToken()
    await waiting(2)
    return () => Promise.allSettled([deleting, storing])
  })
  const [deleted, stored] = await begun()
  expect(deleted.status).toBe('fulfilled')
  expect(stored).toMatchObject({ reason: { code: '23503' } })
})
