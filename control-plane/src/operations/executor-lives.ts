import { sql, type RawBuilder } from 'kysely'
import { EXECUTOR_LOCK } from '../db/advisory-locks.ts'

/**
 * Whether the executor in a column runs: it holds its advisory lock in shared or exclusive mode. Takes no lock, and reads
 * them once for all rows of a statement.
 */
export const executorLives = (column: string): RawBuilder<boolean> => sql<boolean>`
  (hashtext(${sql.ref(column)})::bigint & 4294967295)::oid in (
    select objid from pg_locks where locktype = 'advisory' and granted and objsubid = 2
      and database = (select oid from pg_database where datname = current_database()) and classid = ${EXECUTOR_LOCK}
  )`
