import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { AgentRuleList, SetAgentRuleRequest } from '@svc/shared/wire/agents.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { Db } from '../db/database.ts'
import type { Guards } from '../http/guards.ts'
import type { RecordAudit } from './decide-integrations.ts'
import { LOCAL_PROGRAM } from './integration-keys.ts'
import type { IntegrationsRepository } from './integrations.repository.ts'

type Deps = { guards: Guards; db: Db; integrations: IntegrationsRepository; recordAudit: RecordAudit }

/** Rules of the platform for agents: which are blocked, or which alone are allowed, whatever organizations approved. */
export function agentRulesRoutes({ guards, db, integrations, recordAudit }: Deps): FastifyPluginAsyncZod {
  const list = async () => {
    const rules = await integrations.listRules()
    return {
      ok: true as const,
      rules: rules.map(({ key, verdict, decided_at }) => ({ key, verdict, decidedAt: decided_at.toISOString() })),
    }
  }

  return async (app) => {
    app.get(
      '/api/admin/agent-rules',
      { onRequest: guards.systemAdmin, schema: { response: { 200: AgentRuleList } } },
      list,
    )

    app.put(
      '/api/admin/agent-rules',
      {
        onRequest: [guards.systemAdmin, guards.freshSignIn],
        schema: { body: SetAgentRuleRequest, response: { 200: AgentRuleList } },
      },
      async ({ session: { person }, body: { key, verdict } }) => {
        const url = URL.parse(key)
        if (key !== LOCAL_PROGRAM && (url?.protocol !== 'https:' || (url.href !== key && url.origin !== key)))
          throw fail('invalid_request', [
            { path: 'key', message: `must be ${LOCAL_PROGRAM}, an https origin or an https address` },
          ])
        const host = url?.host ?? key
        await db.transaction().execute(async (trx) => {
          if (verdict === 'none') await integrations.deleteRule(trx, key)
          else await integrations.setRule(trx, key, verdict, person.id)
          await recordAudit(trx, 'platform', {
            event: 'agents.rule',
            actor: { kind: 'user', id: person.id },
            subject: host.slice(0, 128),
            outcome: verdict,
          })
        })
        return list()
      },
    )
  }
}
