import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

export type VaultOriginRow = { orgId: string; label: string; generation: number }

/** The label of each organization's vault origin, and how often it has changed. */
export function vaultOriginsRepository(db: Db) {
  const rows = () => db.selectFrom('vault_origins').select(['org_id as orgId', 'label', 'generation'])

  return {
    find: (orgId: string): Promise<VaultOriginRow | undefined> => rows().where('org_id', '=', orgId).executeTakeFirst(),

    listByLabels: (labels: string[]): Promise<VaultOriginRow[]> =>
      rows()
        .where('label', '=', sql<string>`any(${labels})`)
        .execute(),

    insert: (orgId: string, label: string) =>
      db
        .insertInto('vault_origins')
        .values({ org_id: orgId, label })
        .onConflict((row) => row.column('org_id').doNothing())
        .execute(),

    raiseGeneration: (orgId: string) =>
      db
        .updateTable('vault_origins')
        .set((row) => ({ generation: row('generation', '+', 1) }))
        .where('org_id', '=', orgId)
        .execute(),
  }
}
