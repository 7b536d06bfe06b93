import { sql } from 'kysely'
import pg from 'pg'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Actor, OperationAction } from '@svc/shared/wire/admin/admin.api.ts'
import { auditRecordText, canonicalJson } from '../audit/canonical-json.ts'
import type { Db } from '../db/database.ts'
import type { OperationFailure, OperationRecord, OperationRequest } from './operation.ts'
import { toRecord } from './operation-row.ts'
import type { OperationsTable } from '../db/tables/operations.tables.ts'
import { EXECUTOR_LOCK, ORGANIZATION_LOCK } from '../db/advisory-locks.ts'

const CLAIM_DIAGNOSTIC_MS = 10 * 60_000

/** A claim that was taken, and the epoch of the previous execution. */
export type TakenClaim = { record: OperationRecord; epoch: number; previousEpoch: number | undefined }

type Outcome =
  | { state: 'succeeded'; answer: string }
  | { state: 'failed'; failure: OperationFailure }
  | { state: 'retryable'; failure: OperationFailure | undefined }
  | { state: 'requested' }

/** The parameters of an operation that the audit names. */
function parametersOf(input: unknown): { image?: string; size?: string } {
  const { image, size } = input as { image?: unknown; size?: unknown }
  return { ...(typeof image === 'string' ? { image } : {}), ...(typeof size === 'string' ? { size } : {}) }
}

export type OperationsRepository = ReturnType<typeof operationsRepository>

const UNIQUE_VIOLATION = '23505'

/** State and claims of audited operations. Every transition is one statement that also writes its audit row. */
export function operationsRepository(db: Db, clock: Clock) {
  const audited = (record: Pick<OperationRecord, 'operationId' | 'orgId' | 'action' | 'actor'>, event: string) => ({
    at: clock.now().toISOString(),
    event,
    actor: record.actor,
    orgId: record.orgId,
    operationId: record.operationId,
    action: record.action,
  })

  return {
    find: async (operationId: string): Promise<OperationRecord | undefined> => {
      const row = await db
        .selectFrom('operations')
        .selectAll()
        .where('operation_id', '=', operationId)
        .executeTakeFirst()
      return row && toRecord(row)
    },

    /**
     * Records a new operation. Undefined when the id is known or the organization has another operation in progress.
     */
    register: async (request: OperationRequest): Promise<OperationRecord | undefined> => {
      const now = clock.now()
      const text = auditRecordText({
        ...audited(request, 'operation.requested'),
        reason: request.reason,
        ...parametersOf(request.input),
      })
      const { rows } = await sql<OperationsTable>`
        with opened as (
          insert into operations
            (operation_id, org_id, action, actor_kind, actor_id, reason, input, state, requested_at, updated_at)
          values
            (${request.operationId}, ${request.orgId}, ${request.action}, ${request.actor.kind}, ${request.actor.id},
             ${request.reason}, ${canonicalJson(request.input)}, 'requested', ${now}, ${now})
          on conflict do nothing
          returning *
        ), audit as (
          insert into audit_entries (chain, record) select org_id, ${text} from opened
        )
        select * from opened`.execute(db)
      return rows[0] && toRecord(rows[0])
    },

    /** Reopens a retryable operation. False when it is not retryable, or the organization is busy. */
    reopen: async (record: OperationRecord): Promise<boolean> => {
      const now = clock.now()
      const text = auditRecordText(audited(record, 'operation.requested'))
      try {
        const { rows } = await sql`
          with opened as (
            update operations
            set state = 'requested', failure_code = null, failure_reason = null, updated_at = ${now}
            where operation_id = ${record.operationId} and state = 'retryable'
              and not exists (
                select from operations other
                where other.org_id = operations.org_id and other.state in ('requested', 'executing'))
            returning operation_id, org_id
          ), audit as (
            insert into audit_entries (chain, record) select org_id, ${text} from opened
          )
          select operation_id from opened`.execute(db)
        return rows.length === 1
      } catch (error) {
        // Another operation of the organization was opened at the same time.
        if (error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION) return false
        throw error
      }
    },

    /** Takes the right to execute. Undefined when another executor has or had it. One statement, no check-then-act. */
    claim: async (record: OperationRecord, holder: { owner: string; executor: string }) => {
      const now = clock.now()
      const expires = new Date(now.getTime() + CLAIM_DIAGNOSTIC_MS)
      const text = auditRecordText({ ...audited(record, 'operation.executing'), owner: holder.owner })
      // After waiting for a lock, the row is read again, so no claim is taken for an operation that has just ended. The
      // advisory lock makes a grant and a billing reservation wait for each other.
      const { rows } = await sql<OperationsTable & { previous_epoch: number | null; claimed_epoch: number }>`
        with candidate as (
          select operation_id, org_id, action, epoch as previous_epoch from operations
          where operation_id = ${record.operationId} and state = 'requested'
          for update
        ), alone as (
          select candidate.*, pg_advisory_xact_lock(${ORGANIZATION_LOCK}, hashtext(org_id)) as locked from candidate
        ), claimed as (
          insert into operation_claims (org_id, operation_id, action, owner, executor, epoch, claimed_at, expires_at)
          select org_id, operation_id, action, ${holder.owner}, ${holder.executor}, nextval('operation_epochs'),
            ${now}::timestamptz, ${expires}::timestamptz
          from alone where locked is not null
          on conflict do nothing
          returning *
        ), begun as (
          update operations
          set state = 'executing', epoch = claimed.epoch, attempts = attempts + 1, updated_at = ${now}
          from claimed where operations.operation_id = claimed.operation_id
          returning operations.*
        ), audit as (
          insert into audit_entries (chain, record) select org_id, ${text} from claimed
        )
        select begun.*, candidate.previous_epoch, begun.epoch as claimed_epoch
        from begun join candidate using (operation_id)`.execute(db)
      return rows[0] && toClaim(rows[0])
    },

    /** The claim of an owner, for an executor that lost the response to its claim statement. */
    findClaim: async (owner: string): Promise<{ operationId: string; epoch: number } | undefined> => {
      const row = await db
        .selectFrom('operation_claims')
        .select(['operation_id', 'epoch'])
        .where('owner', '=', owner)
        .executeTakeFirst()
      return row && { operationId: row.operation_id, epoch: row.epoch }
    },

    /** Ends one execution, or hands it back as requested, and releases its claim. False when the epoch is not held. */
    recordOutcome: async (record: OperationRecord, epoch: number, outcome: Outcome): Promise<boolean> => {
      const now = clock.now()
      const failure = 'failure' in outcome ? outcome.failure : undefined
      const over = outcome.state === 'succeeded' || outcome.state === 'failed'
      const event = outcome.state === 'requested' ? 'operation.handed_back' : `operation.${outcome.state}`
      const text = auditRecordText({ ...audited(record, event), outcome: failure?.reason ?? failure?.code })
      const { rows } = await sql`
        with freed as (
          delete from operation_claims where operation_id = ${record.operationId} and epoch = ${epoch}
          returning operation_id
        ), recorded as (
          update operations
          set state = ${outcome.state}, answer = ${outcome.state === 'succeeded' ? outcome.answer : null},
            failure_code = ${failure?.code ?? null}, failure_reason = ${failure?.reason ?? null},
            failure_message = ${failure?.message ?? null},
            updated_at = ${now}, finished_at = ${over ? now : null}
          from freed where operations.operation_id = freed.operation_id and state = 'executing'
          returning operations.operation_id, org_id
        ), audit as (
          insert into audit_entries (chain, record) select org_id, ${text} from recorded
        )
        select operation_id from recorded`.execute(db)
      return rows.length === 1
    },

    /** Raises the epochs above one that a resource has seen: a database restored from a backup has fallen behind. */
    raiseEpochs: async (above: number): Promise<void> => {
      await sql`select setval('operation_epochs', greatest(${above}, (select last_value from operation_epochs)))`.execute(
        db,
      )
    },

    /**
     * Releases an expired claim of exactly this owner, whose executor no longer holds its lock; the operation becomes
     * retryable. Only the recovery route calls this: claims are never stolen.
     */
    recover: async (claim: {
      orgId: string
      action: OperationAction
      expectedOwner: string
      actor: Actor
    }): Promise<string | undefined> => {
      const now = clock.now()
      // An owner has one claim for one operation, ever, so this is the operation that is released below.
      const held = await db
        .selectFrom('operation_claims')
        .select('operation_id')
        .where('org_id', '=', claim.orgId)
        .where('owner', '=', claim.expectedOwner)
        .executeTakeFirst()
      if (held === undefined) return undefined
      const record = audited({ ...claim, operationId: held.operation_id }, 'operation.recovered')
      const text = auditRecordText({ ...record, owner: claim.expectedOwner })
      const { rows } = await sql<{ operation_id: string }>`
        with expired as (
          select org_id, epoch, executor from operation_claims
          where org_id = ${claim.orgId} and action = ${claim.action} and owner = ${claim.expectedOwner}
            and expires_at < ${now}
          for update
        ), freed as (
          delete from operation_claims using expired
          where operation_claims.org_id = expired.org_id and operation_claims.epoch = expired.epoch
            and pg_try_advisory_xact_lock(${EXECUTOR_LOCK}, hashtext(expired.executor))
          returning operation_claims.operation_id
        ), reopened as (
          update operations set state = 'retryable', updated_at = ${now}
          from freed where operations.operation_id = freed.operation_id and state = 'executing'
          returning operations.operation_id, org_id
        ), audit as (
          insert into audit_entries (chain, record) select org_id, ${text} from reopened
        )
        select operation_id from reopened`.execute(db)
      return rows[0]?.operation_id
    },
  }
}

function toClaim(row: OperationsTable & { previous_epoch: number | null; claimed_epoch: number }): TakenClaim {
  return { record: toRecord(row), epoch: row.claimed_epoch, previousEpoch: row.previous_epoch ?? undefined }
}
