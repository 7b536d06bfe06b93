import { sql, type Kysely } from 'kysely'

/**
 * Whether the control plane itself has begun to remove the resource of a daemon that is torn down. A resource that is
 * gone without it was deleted in the cluster, and its volume may have been retained. Replicas of the release before do
 * not write the column: a resource that they removed is created and removed once more.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table managed_daemons add column removal_begun boolean not null default false`.execute(db)
}
