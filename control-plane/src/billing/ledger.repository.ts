import { sql } from 'kysely'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Db } from '../db/database.ts'
import { ORGANIZATION_LOCK } from '../db/advisory-locks.ts'

export type LedgerRepository = ReturnType<typeof ledgerRepository>
type Money = { amountMinor: number; currency: string }

/** Reservations and payments of organizations. The embedded platform records them; a payment provider is an adapter. */
export function ledgerRepository(db: Db, clock: Clock) {
  return {
    /**
     * Reserves money unless a complimentary grant is in progress whose provisioning lease is not stored yet. The lock
     * is a statement of its own, so that the next statement sees every claim that was taken before the lock.
     */
    insertReservation: (orgId: string, reservationId: string, { amountMinor, currency }: Money): Promise<boolean> =>
      db.transaction().execute(async (trx) => {
        await sql`select pg_advisory_xact_lock(${ORGANIZATION_LOCK}, hashtext(${orgId}))`.execute(trx)
        const { rows } = await sql`
          insert into billing_reservations (reservation_id, org_id, amount_minor, currency, state, created_at)
          select ${reservationId}, ${orgId}, ${amountMinor}::bigint, ${currency}, 'held', ${clock.now()}::timestamptz
          where not exists (
            select from operations
            where org_id = ${orgId} and action = 'comped_grant' and state in ('requested', 'executing')
              and not exists (
                select from entitlements
                where entitlements.operation_id = operations.operation_id and lease_installed_at is not null))
          on conflict (reservation_id) do update set reservation_id = excluded.reservation_id
            where billing_reservations.org_id = excluded.org_id
          returning reservation_id`.execute(trx)
        return rows.length === 1
      }),

    /** Turns a reservation into a payment in one statement. False when there is no reservation. */
    capture: async (reservationId: string, paymentId: string): Promise<boolean> => {
      const now = clock.now()
      const { rows } = await sql`
        with captured as (
          update billing_reservations set state = 'captured', settled_at = ${now}
          where reservation_id = ${reservationId} and state = 'held'
          returning *
        )
        insert into billing_payments (payment_id, org_id, reservation_id, amount_minor, currency, paid_at)
        select ${paymentId}, org_id, reservation_id, amount_minor, currency, ${now}::timestamptz from captured
        returning payment_id`.execute(db)
      return rows.length === 1
    },

    /** Releases a reservation. False when there is none. */
    release: async (reservationId: string): Promise<boolean> => {
      const { numUpdatedRows } = await db
        .updateTable('billing_reservations')
        .set({ state: 'released', settled_at: clock.now() })
        .where('reservation_id', '=', reservationId)
        .where('state', '=', 'held')
        .executeTakeFirst()
      return numUpdatedRows === 1n
    },

    /** True when money was ever paid or is reserved now: such an organization cannot be deleted. */
    hasPaymentHistory: async (orgId: string, within: Db = db): Promise<boolean> => {
      const { rows } = await sql`
        select 1 where exists (select from billing_payments where org_id = ${orgId})
          or exists (select from billing_reservations where org_id = ${orgId} and state = 'held')`.execute(within)
      return rows.length === 1
    },
  }
}
