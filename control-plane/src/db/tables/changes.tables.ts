import type { Generated } from 'kysely'
import type { ChangeTopic } from '@svc/shared/wire/events.api.ts'

/** What changed for whom, written by triggers and read within seconds. A crash of the database server empties it. */
export type StateChangesTable = {
  /** The transaction that made the change. */
  xid: Generated<string>
  at: Generated<Date>
  topic: ChangeTopic
  org_id: string | null
  user_id: string | null
}

export type ChangesTables = { state_changes: StateChangesTable }
