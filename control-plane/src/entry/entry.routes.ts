import { whenClosed } from '@svc/shared/kit/when-closed.ts'
import { EntryMinted, EntryParams } from '@svc/shared/wire/control-plane.api.ts'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import type { Guards } from '../http/guards.ts'
import { limitByAddress, type RateLimit } from '../http/rate-limit.ts'
import type { grantEntry } from './grant-entry.ts'

type Deps = { guards: Guards; rateLimit: RateLimit; grantEntry: ReturnType<typeof grantEntry> }

/** Entries of one client address, which a whole office may share. Each entry queries a daemon. */
const ENTRIES = { key: 'entry', max: 300, seconds: 300 }

/** The route into a vault: the app posts the assertion as a form to the returned URL. */
export function entryRoutes({ guards, rateLimit, grantEntry }: Deps): FastifyPluginAsyncZod {
  return async (app) => {
    app.post(
      '/api/orgs/:orgSlug/vaults/:vaultSlug/entry',
      {
        onRequest: [guards.member, limitByAddress(rateLimit, ENTRIES)],
        schema: { params: EntryParams, response: { 200: EntryMinted } },
      },
      async ({ membership: { organization, role }, session, params: { vaultSlug } }, reply) => {
        const { id, name } = session.person
        const gone = new AbortController()
        whenClosed(reply.raw, () => gone.abort())
        const entry = await grantEntry({
          orgId: organization.id,
          vault: vaultSlug,
          user: { id, name },
          sessionId: session.id,
          role,
          signal: gone.signal,
        })
        return reply.header('cache-control', 'no-store').send({ ok: true as const, entry })
      },
    )
  }
}
