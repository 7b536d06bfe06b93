import { sql, type Kysely } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLog } from '@svc/shared/kit/log.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { openDatabase } from '../../control-plane/src/db/database.ts'
import * as wholeSecondFactors from '../../control-plane/src/db/migrations/0032-whole-second-factors.ts'
import { verifies } from '../requirements.ts'
import { codeOf, enrol, forgetUsedCodes } from '../support/authenticator.ts'
import { toFailure } from '../../control-plane/src/http/failures.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { hurriedClock } from '../support/hurried-clock.ts'
import { PASSWORD, type Person } from '../support/person.ts'
import { createTestDatabase } from '../support/postgres.ts'

// The sign-in library turns the second factor on and off in two statements. Each test runs the first one alone, as when
// the process is killed between them, or the second one alone.

let cp: TestControlPlane
beforeAll(async () => {
  cp = await startControlPlane({ clock: hurriedClock(25) })
})
afterAll(() => cp.stop())

let count = 0
const join = async (): Promise<Person> => {
  const person = cp.person()
  await person.signUp({ email: `half${(count += 1)}@acme.test` })
  return person
}
const joinWithApp = async () => {
  const person = await join()
  await enrol(person, { db: cp.db, password: PASSWORD })
  return person
}
/** Somebody whose app has a secret but has shown no code yet. */
const joinWithSecret = async () => {
  const person = await join()
  const begun = await person.post('/api/auth/two-factor/enable', { password: PASSWORD })
  return { person, uri: begun.body.totpURI as string }
}
const setFlag = ({ id }: Person, twoFactorEnabled: boolean) =>
  cp.db.updateTable('user').set({ twoFactorEnabled }).where('id', '=', id).execute()
const setVerified = ({ id }: Person, verified: boolean) =>
  cp.db.updateTable('twoFactor').set({ verified }).where('userId', '=', id).execute()
const deleteSecret = ({ id }: Person) => cp.db.deleteFrom('twoFactor').where('userId', '=', id).execute()

/** Signs in from another browser, without a code. */
const signInAgain = async ({ email }: Person) => {
  const browser = Object.assign(cp.person(), { email })
  return { browser, answer: await browser.signIn() }
}
const expectProtected = async (person: Person, uri: string) => {
  const { browser, answer } = await signInAgain(person)
  expect(answer.body).toEqual({ twoFactorRedirect: true })
  await forgetUsedCodes(cp.db)
  const signedIn = await browser.post('/api/auth/two-factor/verify-totp', { code: codeOf(uri) })
  expect(signedIn.status, signedIn.text).toBe(200)
  expect((await browser.get('/api/settings')).body.signIn).toMatchObject({ twoFactor: true, recoveryCodesLeft: 10 })
}
/** Nothing is asked for or shown, and the person can turn the second factor on. */
const expectUnprotected = async (person: Person) => {
  const { browser, answer } = await signInAgain(person)
  expect(answer.body.token).toBeTypeOf('string')
  expect((await browser.get('/api/settings')).body.signIn).toMatchObject({ twoFactor: false, recoveryCodesLeft: null })
  const { uri } = await enrol(browser, { db: cp.db, password: PASSWORD })
  await expectProtected(person, uri)
}

describe('a second factor that is turned on by half', () => {
  test('is on when only the flag was written', async () => {
    verifies('auth.two-factor')
    const { person, uri } = await joinWithSecret()
    await setFlag(person, true)
    await expectProtected(person, uri)
  })

  test('is on when only the secret was marked as verified', async () => {
    verifies('auth.two-factor')
    const { person, uri } = await joinWithSecret()
    await setVerified(person, true)
    await expectProtected(person, uri)
  })

  test('is refused without a secret', async () => {
    const person = await join()
    await expect(setFlag(person, true)).rejects.toThrow('needs a secret')
    await expectUnprotected(person)
  })
})

describe('a second factor that is turned off by half', () => {
  test('is off when only the flag was written', async () => {
    verifies('auth.two-factor')
    const person = await joinWithApp()
    await setFlag(person, false)
    await expectUnprotected(person)
  })

  test('is off when only the secret was deleted', async () => {
    verifies('auth.two-factor')
    const person = await joinWithApp()
    await deleteSecret(person)
    await expectUnprotected(person)
  })

  test('stays on when its secret would be replaced by an unverified one', async () => {
    const person = await join()
    const { uri } = await enrol(person, { db: cp.db, password: PASSWORD })
    const refused: unknown = await setVerified(person, false).catch((error: unknown) => error)
    expect(String(refused)).toContain('turned off before it is replaced')
    expect(toFailure(refused), 'two windows did it at once').toMatchObject({ code: 'invalid_request' })
    await expectProtected(person, uri)
  })
})

test('the migration mends halves that it finds', async () => {
  verifies('cp.migrations')
  const database = await createTestDatabase()
  const { db, close } = openDatabase({
    url: database.url,
    log: createLog({ service: 'test', level: 'silent' }),
    max: 2,
  })
  try {
    await sql`drop function pair_second_factor cascade`.execute(db)
    await sql`drop function pair_secret cascade`.execute(db)
    const add = async (twoFactorEnabled: boolean, verified: boolean | 'no secret') => {
      const id = newId('usr_')
      const [now, email] = [new Date(), `${id.toLowerCase()}@acme.test`]
      const times = { createdAt: now, updatedAt: now }
      const user = { id, name: 'Half', email, emailVerified: true, image: null, twoFactorEnabled, ...times }
      await db.insertInto('user').values(user).execute()
      if (verified === 'no secret') return id
      const sealed = { secret: 'sealed', backupCodes: 'sealed', failedVerificationCount: 0, lockedUntil: null }
      await db
        .insertInto('twoFactor')
        .values({ id: newId('tfa_'), userId: id, verified, ...sealed })
        .execute()
      return id
    }
    const read = async (id: string) => {
      const user = await db
        .selectFrom('user')
        .leftJoin('twoFactor', 'twoFactor.userId', 'user.id')
        .select(['twoFactorEnabled', 'verified'])
        .where('user.id', '=', id)
        .executeTakeFirstOrThrow()
      return [user.twoFactorEnabled, user.verified]
    }
    const people = [await add(true, false), await add(false, true), await add(true, 'no secret')]
    const whole = [await add(true, true), await add(false, false), await add(false, 'no secret')]
    await wholeSecondFactors.up(db as Kysely<unknown>)
    expect(await Promise.all(people.map(read))).toEqual([
      [true, true],
      [false, null],
      [false, null],
    ])
    expect(await Promise.all(whole.map(read))).toEqual([
      [true, true],
      [false, false],
      [false, null],
    ])
  } finally {
    await close()
    await database.drop()
  }
})
