import type { Clock } from '@svc/shared/kit/clock.ts'
import type { AuditChain, AuditRecord } from '@svc/shared/wire/audit.api.ts'
import { IssuedKey, MaskedKey, OrgParams, RotateKeyRequest } from '@svc/shared/wire/control-plane.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import type { Db } from '../db/database.ts'
import type { Guards, Membership } from '../http/guards.ts'
import { limitByAddress, type RateLimit } from '../http/rate-limit.ts'
import { maskDaemonKey } from './daemon-key.ts'
import { daemonKeysRepository } from './daemon-keys.repository.ts'
import { issueDaemonKey, rotateDaemonKey, rotateDaemonKeyNow, type NewKey } from './rotate-daemon-key.ts'

/** Appends to a chain of the audit, in the caller's transaction. */
export type RecordAudit = (trx: Db, chain: AuditChain, record: Omit<AuditRecord, 'at'>) => Promise<void>

type Deps = {
  guards: Guards
  rateLimit: RateLimit
  db: Db
  clock: Clock
  relayUrlOf(orgId: string): string
  recordAudit: RecordAudit
}

/** New keys that one client address may request. */
const NEW_KEYS = { key: 'daemon-key', max: 30, seconds: 300 }

/** The key of a self-hosted organization's daemon: masked in reads, plain once when issued or rotated. */
export function daemonKeysRoutes({
  guards,
  rateLimit,
  db,
  clock,
  relayUrlOf,
  recordAudit,
}: Deps): FastifyPluginAsyncZod {
  const keys = daemonKeysRepository(db, clock)
  const onRequest = [guards.orgAdmin, limitByAddress(rateLimit, NEW_KEYS)]

  const selfHosted = ({ organization }: Membership): string => {
    if (organization.daemonMode !== 'self_hosted') throw fail('not_self_hosted_daemon')
    return organization.id
  }

  return async (app) => {
    app.get(
      '/api/orgs/:orgId/api-key',
      { onRequest: guards.orgAdmin, schema: { params: OrgParams, response: { 200: MaskedKey } } },
      async ({ membership }) => {
        const orgId = selfHosted(membership)
        const found = await keys.findCurrentKey(orgId)
        const key = found && {
          apiKey: maskDaemonKey(found.lastFour),
          daemonId: found.daemonId,
          createdAt: found.createdAt.toISOString(),
          lastUsedAt: found.lastUsedAt?.toISOString() ?? null,
        }
        return { ok: true as const, key: key ?? null, relayUrl: relayUrlOf(orgId) }
      },
    )

    app.post(
      '/api/orgs/:orgId/api-key',
      { onRequest, schema: { params: OrgParams, response: { 200: IssuedKey } } },
      async ({ membership, actor }, reply) => {
        const orgId = selfHosted(membership)
        const issued = await db.transaction().execute(async (trx) => {
          const key = await issueDaemonKey(trx, { orgId, clock })
          await recordAudit(trx, orgId, { event: 'daemon_key.issued', actor, orgId, subject: key.daemonId })
          return key
        })
        return reply.header('cache-control', 'no-store').send(shown(issued, relayUrlOf(orgId)))
      },
    )

    app.post(
      '/api/orgs/:orgId/api-key/rotate',
      {
        onRequest,
        schema: { params: OrgParams, body: RotateKeyRequest, response: { 200: IssuedKey } },
      },
      async ({ membership, actor, body: { immediate } }, reply) => {
        const orgId = selfHosted(membership)
        const rotate = immediate ? rotateDaemonKeyNow : rotateDaemonKey
        const issued = await db.transaction().execute(async (trx) => {
          const key = await rotate(trx, { orgId, clock })
          const outcome = immediate ? 'at_once' : 'with_grace'
          await recordAudit(trx, orgId, { event: 'daemon_key.rotated', actor, orgId, outcome, subject: key.daemonId })
          return key
        })
        return reply.header('cache-control', 'no-store').send(shown(issued, relayUrlOf(orgId)))
      },
    )
  }
}

const shown = ({ apiKey, daemonId, oldKeyWorksUntil }: NewKey, relayUrl: string) => ({
  ok: true as const,
  apiKey,
  daemonId,
  relayUrl,
  oldKeyWorksUntil: oldKeyWorksUntil?.toISOString() ?? null,
})
