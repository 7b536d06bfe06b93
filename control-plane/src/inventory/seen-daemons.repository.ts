import type { ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import type { Db } from '../db/database.ts'
import { toDaemonView } from './daemon-view.ts'
import { judgeDaemon } from './judge-daemon.ts'

export type SeenDaemonsRepository = ReturnType<typeof seenDaemonsRepository>

/** A stored row: the resource and its version. */
export type SeenDaemon = { name: string; uid: string; version: number }
/** A row to delete: the resource, or only one version of it. */
export type GoneDaemon = Omit<SeenDaemon, 'version'> & { version?: number }

/** The last seen resources of managed daemons. Several processes may write. */
export function seenDaemonsRepository(db: Db) {
  return {
    /** Stores daemons as they were seen; an older version than the stored one changes nothing. */
    upsert: async (daemons: ManagedDaemon[]): Promise<void> => {
      await db
        .insertInto('inventory_daemons')
        .values(daemons.map(toRow))
        .onConflict((conflict) =>
          conflict
            .column('org_id')
            .doUpdateSet((excluded) => ({
              org_slug: excluded.ref('excluded.org_slug'),
              name: excluded.ref('excluded.name'),
              uid: excluded.ref('excluded.uid'),
              resource_version: excluded.ref('excluded.resource_version'),
              desired_state: excluded.ref('excluded.desired_state'),
              observed_state: excluded.ref('excluded.observed_state'),
              image: excluded.ref('excluded.image'),
              version: excluded.ref('excluded.version'),
              standing: excluded.ref('excluded.standing'),
              attention: excluded.ref('excluded.attention'),
              attention_reason: excluded.ref('excluded.attention_reason'),
              attention_since: excluded.ref('excluded.attention_since'),
              used_bytes: excluded.ref('excluded.used_bytes'),
              capacity_bytes: excluded.ref('excluded.capacity_bytes'),
              view: excluded.ref('excluded.view'),
            }))
            // Another uid is another resource: in a new cluster, versions start again.
            .where((eb) =>
              eb.or([
                eb('excluded.resource_version', '>=', eb.ref('inventory_daemons.resource_version')),
                eb('excluded.uid', '<>', eb.ref('inventory_daemons.uid')),
              ]),
            ),
        )
        .execute()
    },

    /** Every stored row. */
    list: (): Promise<SeenDaemon[]> =>
      db.selectFrom('inventory_daemons').select(['name', 'uid', 'resource_version as version']).execute(),

    /** Deletes a resource, or only a version of it. */
    delete: async ({ name, uid, version }: GoneDaemon): Promise<void> => {
      const row = db.deleteFrom('inventory_daemons').where('name', '=', name).where('uid', '=', uid)
      await (version === undefined ? row : row.where('resource_version', '=', version)).execute()
    },

    /** Deletes all except those with these names. */
    deleteOthers: async (names: string[]): Promise<void> => {
      await db
        .deleteFrom('inventory_daemons')
        .where(({ eb, fn, val }) => eb.not(eb('name', '=', fn.any(val(names)))))
        .execute()
    },
  }
}

function toRow(daemon: ManagedDaemon) {
  const { name, uid, spec, status } = daemon
  const { standing, attention } = judgeDaemon(daemon)
  return {
    org_id: spec.orgId,
    org_slug: spec.orgSlug,
    name,
    uid,
    resource_version: versionOf(daemon),
    desired_state: spec.desiredState,
    observed_state: status.observedState,
    image: spec.image,
    version: status.version ?? null,
    standing,
    attention: attention?.kind ?? null,
    attention_reason: attention?.reason ?? null,
    attention_since: attention?.since === undefined ? null : new Date(attention.since),
    used_bytes: status.storage?.usedBytes ?? null,
    capacity_bytes: status.storage?.capacityBytes ?? null,
    view: JSON.stringify(toDaemonView(daemon)),
  }
}

/** Versions of one server grow; versions that are no numbers count as equal. */
export function versionOf({ resourceVersion }: Pick<ManagedDaemon, 'resourceVersion'>): number {
  const version = Number(resourceVersion)
  return Number.isSafeInteger(version) ? version : 0
}
