import { fail } from '@svc/shared/wire/errors.ts'
import type { Db } from '../db/database.ts'
import type { LedgerRepository } from './ledger.repository.ts'

/** The port to billing. A payment provider is an adapter of this port. */
export type Billing = {
  /**
   * Reserves money. Throws organization_busy while a complimentary grant is in progress. Repeating it changes nothing.
   */
  reserve(reservation: { orgId: string; reservationId: string; amountMinor: number; currency: string }): Promise<void>
  /** Captures reserved money. Throws not_found when there is no reservation. */
  capture(reservationId: string, paymentId: string): Promise<void>
  release(reservationId: string): Promise<void>
  /** `within` is the transaction that asks, if any: it must not wait for another connection. */
  hasPaymentHistory(orgId: string, within?: Db): Promise<boolean>
}

/** Billing that records in the ledger and moves no money: the default of the embedded platform. */
export function createLedgerBilling(ledger: LedgerRepository): Billing {
  return {
    reserve: async ({ orgId, reservationId, amountMinor, currency }) => {
      if (!(await ledger.insertReservation(orgId, reservationId, { amountMinor, currency })))
        throw fail('organization_busy')
    },
    capture: async (reservationId, paymentId) => {
      if (!(await ledger.capture(reservationId, paymentId))) throw fail('not_found')
    },
    release: async (reservationId) => {
      if (!(await ledger.release(reservationId))) throw fail('not_found')
    },
    hasPaymentHistory: ledger.hasPaymentHistory,
  }
}
