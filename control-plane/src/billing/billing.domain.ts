import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Db } from '../db/database.ts'
import { createLedgerBilling, type Billing } from './billing.ts'
import { ledgerRepository } from './ledger.repository.ts'

/** The billing of a platform without a payment provider: it records in the database and moves no money. */
export const recordingBilling = (db: Db, clock: Clock): Billing => createLedgerBilling(ledgerRepository(db, clock))
