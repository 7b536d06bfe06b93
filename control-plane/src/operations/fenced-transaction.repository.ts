import type { Db } from '../db/database.ts'
import { FencedOff } from './operation.ts'

type Claim = { operationId: string; epoch: number }

/** Runs `act` in one transaction with the proof that the claim holds this epoch. Throws FencedOff otherwise. */
export type FencedTransaction = <T>(claim: Claim, act: (trx: Db) => Promise<T>) => Promise<T>

/** The shared lock on the claim makes recovery and a newer execution wait until the transaction ends. */
export function createFencedTransaction(db: Db): FencedTransaction {
  return ({ operationId, epoch }, act) =>
    db.transaction().execute(async (trx) => {
      const held = await trx
        .selectFrom('operation_claims')
        .select('org_id')
        .where('operation_id', '=', operationId)
        .where('epoch', '=', epoch)
        .forShare()
        .executeTakeFirst()
      if (held === undefined) throw new FencedOff(operationId, epoch)
      return act(trx)
    })
}
