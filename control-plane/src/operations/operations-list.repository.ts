import { sql } from 'kysely'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Claim, Mutation } from '@svc/shared/wire/admin/admin.api.ts'
import type { Db } from '../db/database.ts'
import { executorLives } from './executor-lives.ts'
import { toRecord } from './operation-row.ts'
import type { OperationRecord } from './operation.ts'
import type { OperationClaimsTable, OperationsTable } from '../db/tables/operations.tables.ts'

export type OperationsListRepository = ReturnType<typeof operationsListRepository>

type Position = { requestedAt: string; operationId: string }
type ClaimRow = OperationClaimsTable & { slug: string | null; alive: boolean }

/** Reads operations and claims for display; changes nothing. */
export function operationsListRepository(db: Db, clock: Clock) {
  const claims = (orgId: string | undefined) =>
    sql<ClaimRow>`
      select claims.*, organization.slug, ${executorLives('claims.executor')} as alive
      from operation_claims claims left join organization on organization.id = claims.org_id
      where ${orgId ?? null}::text is null or claims.org_id = ${orgId ?? null}
      order by claims.claimed_at`.execute(db)

  return {
    /** Mutations of one organization, newest first, after a position. */
    listMutations: async (orgId: string, limit: number, after: Position | undefined): Promise<Mutation[]> => {
      const { rows } = await sql<OperationsTable & { attempts: number }>`
        select * from operations
        where org_id = ${orgId}
          and (${after?.requestedAt ?? null}::timestamptz is null
            or (requested_at, operation_id) < (${after?.requestedAt ?? null}, ${after?.operationId ?? null}))
        order by requested_at desc, operation_id desc limit ${limit}`.execute(db)
      return rows.map(toMutation)
    },

    /** The latest operations of all organizations, newest first; a deleted organization has no name. */
    listRecent: async (limit: number): Promise<(Mutation & { orgName?: string })[]> => {
      const { rows } = await sql<OperationsTable & { attempts: number; org_name: string | null }>`
        select operations.*, organization.name as org_name
        from operations left join organization on organization.id = operations.org_id
        order by requested_at desc, operation_id desc limit ${limit}`.execute(db)
      return rows.map((row) => ({ ...toMutation(row), ...(row.org_name === null ? {} : { orgName: row.org_name }) }))
    },

    /** Every claim, oldest first. */
    listClaims: async (): Promise<Claim[]> => {
      const { rows } = await claims(undefined)
      return rows.map((row) => toClaimView(row, clock.now()))
    },

    findClaim: async (orgId: string): Promise<Claim | undefined> => {
      const { rows } = await claims(orgId)
      return rows[0] && toClaimView(rows[0], clock.now())
    },

    /** Operations that have waited for an executor since before that time. */
    listWaiting: async (before: Date): Promise<string[]> => {
      const rows = await db
        .selectFrom('operations')
        .select('operation_id')
        .where('state', '=', 'requested')
        .where('updated_at', '<', before)
        .orderBy('updated_at')
        .limit(1_000)
        .execute()
      return rows.map((row) => row.operation_id)
    },

    /** Operations executing since before that time; their executor may be gone. */
    listExecuting: async (before: Date): Promise<OperationRecord[]> => {
      const rows = await db
        .selectFrom('operations')
        .selectAll()
        .where('state', '=', 'executing')
        .where('updated_at', '<', before)
        .orderBy('updated_at')
        .limit(1_000)
        .execute()
      return rows.map(toRecord)
    },

    /** Deletions that became retryable before the teardown ended: their tombstone proves that nothing is left to do. */
    listTornDown: async (): Promise<OperationRecord[]> => {
      const rows = await db
        .selectFrom('operations')
        .innerJoin('organization_tombstones as stone', 'stone.operation_id', 'operations.operation_id')
        .selectAll('operations')
        .where('operations.state', '=', 'retryable')
        .limit(1_000)
        .execute()
      return rows.map(toRecord)
    },

    /** True while an operation of the organization is requested or executing. */
    isBusy: async (orgId: string): Promise<boolean> => {
      const row = await db
        .selectFrom('operations')
        .select('operation_id')
        .where('org_id', '=', orgId)
        .where('state', 'in', ['requested', 'executing'])
        .executeTakeFirst()
      return row !== undefined
    },
  }
}

function toClaimView(row: ClaimRow, now: Date): Claim {
  return {
    orgId: row.org_id,
    orgSlug: row.slug ?? undefined,
    action: row.action,
    operationId: row.operation_id,
    owner: row.owner,
    executor: row.executor,
    claimedAt: row.claimed_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    expired: row.expires_at < now,
    executorAlive: row.alive,
  }
}

function toMutation(row: OperationsTable & { attempts: number }): Mutation {
  const record = toRecord(row)
  const input = JSON.parse(record.inputText) as { image?: unknown }
  return {
    operationId: record.operationId,
    orgId: record.orgId,
    action: record.action,
    actor: record.actor,
    reason: record.reason,
    state: record.state,
    ...('failure' in record && record.failure ? { failure: record.failure } : {}),
    ...(typeof input.image === 'string' ? { image: input.image } : {}),
    attempts: record.attempts,
    requestedAt: record.requestedAt.toISOString(),
    finishedAt: record.finishedAt?.toISOString(),
  }
}
