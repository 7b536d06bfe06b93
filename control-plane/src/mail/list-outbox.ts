import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Db } from '../db/database.ts'
import { outboxRepository } from './outbox.repository.ts'
import { mailAsJson } from './outbox.ts'

/** The newest mails that were stored instead of sent, read without a control plane. */
export const listOutbox = async ({ db, clock }: { db: Db; clock: Clock }) =>
  (await outboxRepository(db, clock).list()).map(mailAsJson)
