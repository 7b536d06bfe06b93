import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { Secret } from '@svc/shared/kit/secret.ts'
import { APP_ROLE } from '../../control-plane/src/db/app-role.ts'
import { TEMPLATE } from './postgres-server.ts'
import { refuseStoredSecrets } from './readable-secrets.ts'
import { until } from './until.ts'

/** The error code of Postgres for a database that does not exist (any more). */
const NO_SUCH_DATABASE = '3D000'

/** The error code of Postgres for a database that has other sessions. */
const IN_USE = '55006'

/** A database of one test: a copy of the migrated template on the run's real Postgres. */
export type TestDatabase = {
  url: Secret
  /** The same database, connected as the role of the application. */
  appUrl: Secret
  /** Deletes the database; fails when a test left a key or a password readably in it. */
  drop(): Promise<void>
}

/** Makes a fresh, migrated database in about 40 ms. */
export async function createTestDatabase(): Promise<TestDatabase> {
  return copyOf(TEMPLATE)
}

/** Makes an empty database, for tests of the migrations themselves. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  return copyOf('template0')
}

async function copyOf(template: string): Promise<TestDatabase> {
  const address = new URL(inject('postgresTemplate'))
  const at = (name: string, role = address.username) => {
    const url = new URL(address)
    url.username = role
    url.pathname = `/${name}`
    return url.toString()
  }
  const name = `test_${randomBytes(8).toString('hex')}`
  await execute(at('postgres'), `create database ${name} template ${template}`)
  return {
    url: new Secret(at(name)),
    appUrl: new Secret(at(name, APP_ROLE)),
    drop: async () => {
      const looked = await connected(at(name), refuseStoredSecrets).then(
        () => undefined,
        (error: Error & { code?: string }) => (error.code === NO_SUCH_DATABASE ? undefined : error),
      )
      await execute(at('postgres'), `drop database if exists ${name} with (force)`)
      if (looked !== undefined) throw looked
    },
  }
}

/**
 * Runs a statement on a whole database. Postgres waits five seconds for other sessions of it to end, which a busy
 * machine may need longer for.
 */
async function execute(url: string, statement: string): Promise<void> {
  await until(statement, () =>
    connected(url, (client) => client.query(statement)).then(
      () => true,
      (error: Error & { code?: string }) => {
        if (error.code !== IN_USE) throw error
        return false
      },
    ),
  )
}

async function connected(url: string, use: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await use(client)
  } finally {
    await client.end()
  }
}
