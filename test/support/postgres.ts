import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { Secret } from '@svc/shared/kit/secret.ts'
import { APP_ROLE } from '../../control-plane/src/db/app-role.ts'
import { TEMPLATE } from './postgres-server.ts'

/** A database of one test: a copy of the migrated template on the run's real Postgres. */
export type TestDatabase = {
  url: Secret
  /** The same database, connected as the role of the application. */
  appUrl: Secret
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
    drop: () => execute(at('postgres'), `drop database if exists ${name} with (force)`),
  }
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
