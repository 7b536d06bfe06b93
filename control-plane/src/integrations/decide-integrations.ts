import type { z } from 'zod'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { ApproveRequest } from '@svc/shared/wire/agents.api.ts'
import type { AuditChain, AuditRecord } from '@svc/shared/wire/audit.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { Db } from '../db/database.ts'
import type { IntegrationState } from '../db/tables/agents.tables.ts'
import { sumByKey } from './count-undone.ts'
import { describeIntegration } from './describe-integration.ts'
import { siteOf } from './integration-keys.ts'
import type { IntegrationsRepository } from './integrations.repository.ts'
import type { FindUndone } from './find-undone.ts'

export type RecordAudit = (trx: Db, chain: AuditChain, record: Omit<AuditRecord, 'at'>) => Promise<void>
type Deps = {
  db: Db
  clock: Pick<Clock, 'now'>
  integrations: IntegrationsRepository
  recordAudit: RecordAudit
  findUndone: FindUndone
}
type Place = { orgId: string; id: string; userId: string }

const DAY_MS = 86_400_000
/** The states from which an admin can change to each state without a new approval. */
const before: Record<'approved' | 'paused' | 'revoked', IntegrationState[]> = {
  approved: ['paused'],
  paused: ['approved'],
  revoked: ['requested', 'approved', 'paused'],
}
const events = { approved: 'agents.resumed', paused: 'agents.paused', revoked: 'agents.revoked' } as const

/** Admins' decisions about integrations; each is audited in the same transaction. */
export function createDecideIntegrations({ db, clock, integrations, recordAudit, findUndone }: Deps) {
  const record = (trx: Db, event: string, { orgId, id, userId }: Place) =>
    recordAudit(trx, orgId, { event, actor: { kind: 'user', id: userId }, orgId, subject: id, outcome: 'done' })

  const list = async (viewer: Pick<Place, 'orgId' | 'userId'>) => {
    const [rows, rules, agents] = await Promise.all([
      integrations.list(viewer.orgId),
      integrations.listRules(),
      findUndone(viewer),
    ])
    const undone = agents && sumByKey(agents)
    return rows.map((row) => describeIntegration(row, { rules, undone, now: clock.now() }))
  }
  /** `key`: of a row that may have been replaced meanwhile by another one with the same key. */
  const readOne = async ({ orgId, id, userId }: Place, key?: string) => {
    const all = await list({ orgId, userId })
    const found = all.find((integration) => integration.id === id) ?? all.find((integration) => integration.key === key)
    if (found === undefined) throw fail('not_found')
    return found
  }

  return {
    list,

    /** Approves, renews or widens an integration until a date. */
    approve: async (place: Place, { access, days, covers }: z.output<typeof ApproveRequest>) => {
      const { orgId, id, userId } = place
      const approved = await db.transaction().execute(async (trx) => {
        // Two approvals of addresses of one site both move to its key, and a row in the way of one goes.
        await integrations.lock(trx, orgId)
        const row = await integrations.find(trx, orgId, id)
        if (row === undefined) throw fail('not_found')
        const key = covers === 'whole_site' ? siteOf(row.key) : row.key
        if (key === undefined)
          throw fail('invalid_request', [{ path: 'covers', message: 'a local program has no site' }])
        await integrations.deleteKey(trx, orgId, { key, exceptId: id })
        const expiresAt = new Date(clock.now().getTime() + days * DAY_MS)
        await integrations.approve(trx, orgId, id, { key, canWrite: access === 'write', expiresAt, userId })
        await record(trx, 'agents.approved', place)
        return key
      })
      return readOne(place, approved)
    },

    changeState: async (place: Place, state: 'approved' | 'paused' | 'revoked') => {
      await db.transaction().execute(async (trx) => {
        const changed = await integrations.updateState(trx, place.orgId, place.id, { from: before[state], to: state })
        if (changed !== undefined) return record(trx, events[state], place)
        if ((await integrations.find(trx, place.orgId, place.id)) === undefined) throw fail('not_found')
      })
      return readOne(place)
    },
  }
}

export type DecideIntegrations = ReturnType<typeof createDecideIntegrations>
