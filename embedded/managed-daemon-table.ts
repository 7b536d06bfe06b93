import { isDeepStrictEqual } from 'node:util'
import type pg from 'pg'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { toFieldProblems } from '@svc/shared/wire/field-problems.ts'
import { brokenRules } from '@svc/shared/wire/managed-daemon-rules.ts'
import {
  initialStatus,
  managedDaemonName,
  ManagedDaemonSpec,
  ManagedDaemonStatus,
  type ManagedDaemon,
} from '@svc/shared/wire/managed-daemon.ts'
import { StoreConflict, StoreRejection, type ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'
import { mergePatch } from './merge-patch.ts'
import { followTable } from './follow-table.ts'

type Options = { pool: pg.Pool; clock: Clock; log: Log }

/** Channel that announces every change of the table. */
const CHANNEL = 'embedded_managed_daemons'

const SCHEMA_LOCK = 7_382_001
const SCHEMA = `
create schema if not exists embedded;
create sequence if not exists embedded.resource_version;
create table if not exists embedded.managed_daemons (
  name text primary key,
  uid uuid not null default gen_random_uuid(),
  resource_version bigint not null default nextval('embedded.resource_version'),
  generation integer not null default 1,
  created_at timestamptz not null default now(),
  deleted_at timestamptz,
  spec jsonb not null,
  status jsonb not null
);
create or replace function embedded.announce() returns trigger language plpgsql as $$
begin
  perform pg_notify('${CHANNEL}', '');
  return null;
end $$;
create or replace trigger announce after insert or update or delete on embedded.managed_daemons
  for each statement execute function embedded.announce();`

const COLUMNS = `name, uid, resource_version::text as "resourceVersion", generation,
  created_at as "createdAt", deleted_at as "deletedAt", spec, status`

type Row = Omit<ManagedDaemon, 'createdAt' | 'deletedAt'> & { createdAt: Date; deletedAt: Date | null }

/** Creates the table if it is missing, and opens it. */
export async function createManagedDaemonTable(options: Options): Promise<ManagedDaemonStore> {
  await makeManagedDaemonTable(options.pool)
  return openManagedDaemonTable(options)
}

/** The ManagedDaemon resources of the embedded platform, in a table that behaves like the Kubernetes API. */
export function openManagedDaemonTable({ pool, clock, log }: Options): ManagedDaemonStore {
  const query = async (sql: string, values: unknown[] = []): Promise<ManagedDaemon[]> =>
    (await pool.query<Row>(sql, values)).rows.map(toDaemon)
  const list = () => query(`select ${COLUMNS} from embedded.managed_daemons order by name`)
  const find = async (name: string) =>
    (await query(`select ${COLUMNS} from embedded.managed_daemons where name = $1`, [name]))[0]

  /** The resource at the version that was read; any other version is a conflict. */
  const expect = async (name: string, resourceVersion: string): Promise<ManagedDaemon> => {
    const daemon = await find(name)
    if (daemon?.resourceVersion !== resourceVersion) throw new StoreConflict(name)
    return daemon
  }

  return {
    find,
    list,
    async create(given) {
      const spec = validSpec(given)
      const name = managedDaemonName(spec.orgId)
      const [created] = await query(
        `insert into embedded.managed_daemons (name, spec, status) values ($1, $2, $3)
         on conflict (name) do nothing returning ${COLUMNS}`,
        [name, JSON.stringify(spec), JSON.stringify(initialStatus)],
      )
      const daemon = created ?? (await find(name))
      if (daemon === undefined) throw new StoreConflict(name) // deleted between the two statements
      return daemon
    },

    async patchSpec(name, resourceVersion, patch) {
      const before = await expect(name, resourceVersion)
      const spec = validSpec(mergePatch(before.spec, patch), before)
      if (isDeepStrictEqual(spec, before.spec)) return before
      const [patched] = await query(
        `update embedded.managed_daemons
         set spec = $3, generation = generation + 1, resource_version = nextval('embedded.resource_version')
         where name = $1 and resource_version = $2 returning ${COLUMNS}`,
        [name, resourceVersion, JSON.stringify(spec)],
      )
      if (patched === undefined) throw new StoreConflict(name)
      return patched
    },

    async putStatus(name, resourceVersion, given) {
      const status = ManagedDaemonStatus.safeParse(given)
      if (!status.success) throw new StoreRejection(describe(status.error))
      const [written] = await query(
        `update embedded.managed_daemons
         set status = $3::jsonb, resource_version =
           case when status = $3::jsonb then resource_version else nextval('embedded.resource_version') end
         where name = $1 and resource_version = $2 returning ${COLUMNS}`,
        [name, resourceVersion, JSON.stringify(status.data)],
      )
      if (written === undefined) throw new StoreConflict(name)
      return written
    },

    async remove(name, found) {
      const { rowCount } = await pool.query(
        `update embedded.managed_daemons
         set deleted_at = now(), generation = generation + 1, resource_version = nextval('embedded.resource_version')
         where name = $1 and uid = coalesce($2, uid) and resource_version = coalesce($3, resource_version)
           and deleted_at is null`,
        [name, found?.uid, found?.resourceVersion],
      )
      if (rowCount === 1 || found === undefined) return
      const now = await find(name)
      if (now !== undefined && (now.uid !== found.uid || now.resourceVersion !== found.resourceVersion))
        throw new StoreConflict(name)
    },

    async release(name, resourceVersion) {
      await pool.query(
        `delete from embedded.managed_daemons
         where name = $1 and resource_version = $2 and deleted_at is not null`,
        [name, resourceVersion],
      )
    },

    watch: (onEvent) => followTable({ pool, clock, log, channel: CHANNEL, list, onEvent }),
  }
}

/** Creates the table and its triggers, as the owner of the database. */
export async function makeManagedDaemonTable(pool: pg.Pool): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query('select pg_advisory_xact_lock($1)', [SCHEMA_LOCK])
    await client.query(SCHEMA)
    await client.query('commit')
    client.release()
  } catch (error) {
    client.release(error instanceof Error ? error : true)
    throw error
  }
}

function validSpec(given: unknown, before?: ManagedDaemon): ManagedDaemonSpec {
  const spec = ManagedDaemonSpec.safeParse(given)
  if (!spec.success) throw new StoreRejection(describe(spec.error))
  const broken = brokenRules(spec.data, before)
  if (broken.length > 0) throw new StoreRejection(broken.join('; '))
  return spec.data
}

const describe = (error: Parameters<typeof toFieldProblems>[0]) =>
  toFieldProblems(error)
    .map(({ path, message }) => `${path}: ${message}`)
    .join('; ')

const toDaemon = ({ createdAt, deletedAt, ...row }: Row): ManagedDaemon => ({
  ...row,
  createdAt: createdAt.toISOString(),
  ...(deletedAt === null ? {} : { deletedAt: deletedAt.toISOString() }),
})
