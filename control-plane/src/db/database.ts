import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Log } from '@svc/shared/kit/log.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'
import { KnownPool } from './database-errors.ts'
import { createFrequentStatements } from './frequent-statements.ts'
import { preparingClient } from './preparing-client.ts'
import type { AccountsTables } from './tables/accounts.tables.ts'
import type { AgentsTables } from './tables/agents.tables.ts'
import type { AuditTables } from './tables/audit.tables.ts'
import type { BackupsTables } from './tables/backups.tables.ts'
import type { BillingTables } from './tables/billing.tables.ts'
import type { ChangesTables } from './tables/changes.tables.ts'
import type { DaemonKeysTables } from './tables/daemon-keys.tables.ts'
import type { EntryTables } from './tables/entry.tables.ts'
import type { InventoryTables } from './tables/inventory.tables.ts'
import type { MailTables } from './tables/mail.tables.ts'
import type { ManagedDaemonsTables } from './tables/managed-daemons.tables.ts'
import type { OperationsTables } from './tables/operations.tables.ts'
import type { OrganizationsTables } from './tables/organizations.tables.ts'
import type { RolloutsTables } from './tables/rollouts.tables.ts'
import type { SetupTables } from './tables/setup.tables.ts'

/** All tables of the database. */
export type Database = AccountsTables &
  AgentsTables &
  AuditTables &
  BackupsTables &
  BillingTables &
  ChangesTables &
  DaemonKeysTables &
  EntryTables &
  InventoryTables &
  MailTables &
  ManagedDaemonsTables &
  OperationsTables &
  OrganizationsTables &
  RolloutsTables &
  SetupTables

export type Db = Kysely<Database>

// Our int8 counts stay far below 2^53; as texts they would break arithmetic (better-auth's Retry-After, for example).
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

/** A host that vanishes ends no connection. With this the kernel notices, unless something is still to be sent. */
export const keptAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const

type Opening = {
  url: Secret
  log: Log
  max?: number
  /** How long a connection may be silent while a statement runs. Without it, as for migrations, there is no limit. */
  silentMs?: number
}

/** The pool and its query builder. Lost idle connections are logged and replaced, never thrown. */
export function openDatabase({ url, log, max = 10, silentMs }: Opening) {
  const Client = preparingClient({ frequent: createFrequentStatements(), silentMs })
  const pool: pg.Pool = new KnownPool({
    connectionString: url.reveal(),
    max,
    connectionTimeoutMillis: 10_000,
    ...keptAlive,
    Client,
  })
  let closing = false
  // Log only code and message: the error object holds the whole client.
  const lost = ({ message, code }: Error & { code?: string }) => {
    if (!closing) log.warn({ code, reason: message }, 'a database connection was lost')
  }
  pool.on('error', lost)
  // The pool handles errors of idle connections only. Without this listener, a connection that breaks between two
  // statements would end the process.
  pool.on('connect', (client) => client.on('error', lost))
  const db: Db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
  const close = () => {
    closing = true
    return db.destroy()
  }
  return { db, pool, close }
}
