import { createHmac, hkdfSync } from 'node:crypto'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'
import type { Db } from '../db/database.ts'

type Deps = { db: Db; clock: Pick<Clock, 'now'>; authSecret: Secret; authSecretPrevious: Secret | undefined }
type Address = { orgId: string; email: string }

const KEPT_MS = 365 * 86_400_000

const keyFrom = (secret: Secret) => Buffer.from(hkdfSync('sha256', secret.reveal(), '', 'svc removed address v1', 32))
const hashBy = (key: Buffer, { orgId, email }: Address) =>
  createHmac('sha256', key).update(`${orgId} ${email.toLowerCase()}`).digest('hex')

/**
 * Addresses of deleted accounts that an organization had removed. Without them, somebody could undo a removal by signing
 * up again. Only keyed hashes are stored, for a year. A new AUTH_SECRET invalidates them once the previous one is no
 * longer configured.
 */
export function removedAddressesRepository({ db, clock, authSecret, authSecretPrevious }: Deps) {
  const key = keyFrom(authSecret)
  const keys = authSecretPrevious === undefined ? [key] : [key, keyFrom(authSecretPrevious)]
  const stored = (address: Address) => keys.map((each) => hashBy(each, address))

  return {
    /** Keeps the addresses of a person whose account is about to be deleted, in the caller's transaction. */
    keep: async (trx: Db, person: { id: string; email: string }): Promise<void> => {
      const removals = await trx
        .selectFrom('admissions')
        .select(['organization_id as orgId', 'email'])
        .where('user_id', '=', person.id)
        .where('state', '=', 'removed')
        // An invitation has brought the person back since.
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('member')
                .select('member.id')
                .whereRef('member.organizationId', '=', 'admissions.organization_id')
                .where('member.userId', '=', person.id),
            ),
          ),
        )
        .execute()
      const addresses = removals.flatMap(({ orgId, email }) =>
        [email, person.email].map((each) => ({ orgId, email: each })),
      )
      const rows = new Map(addresses.map((address) => [hashBy(key, address), address.orgId]))
      const removed_at = clock.now()
      if (rows.size > 0)
        await trx
          .insertInto('removed_addresses')
          .values([...rows].map(([address_hash, organization_id]) => ({ organization_id, address_hash, removed_at })))
          .onConflict((row) => row.columns(['organization_id', 'address_hash']).doUpdateSet({ removed_at }))
          .execute()
    },

    /** True when the organization removed a person with this address, whose account is deleted. */
    has: async (address: Address): Promise<boolean> => {
      const row = await db
        .selectFrom('removed_addresses')
        .select('organization_id')
        .where('organization_id', '=', address.orgId)
        .where('address_hash', 'in', stored(address))
        .executeTakeFirst()
      return row !== undefined
    },

    /** Forgets a removal, in the caller's transaction. */
    delete: async (trx: Db, address: Address): Promise<void> => {
      await trx
        .deleteFrom('removed_addresses')
        .where('organization_id', '=', address.orgId)
        .where('address_hash', 'in', stored(address))
        .execute()
    },

    deleteExpired: async (): Promise<void> => {
      const since = new Date(clock.now().getTime() - KEPT_MS)
      await db.deleteFrom('removed_addresses').where('removed_at', '<', since).execute()
    },
  }
}

export type RemovedAddressesRepository = ReturnType<typeof removedAddressesRepository>
