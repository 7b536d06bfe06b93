import { sql, type SelectQueryBuilder } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { compileOnce, type SlotOf } from '../../db/compile-once.ts'
import type { Database, Db } from '../../db/database.ts'
import type { LiveGrant } from './agent-rights.ts'
import { isLiving } from '../../db/is-living.ts'

type TokenUse = { tokenHash: string; resource: string; sessionId: string | undefined }

/**
 * Reads everything that decides about a request of an agent in one statement, because every request waits for it.
 * Nothing is cached, so every revocation takes effect with the next request.
 */
export function agentRightsRepository(db: Db, clock: Pick<Clock, 'now'>) {
  const grants = () =>
    db
      .selectFrom('agent_grants as grant')
      .innerJoin('oauthClient as client', 'client.clientId', 'grant.client_id')
      .innerJoin('user as person', 'person.id', 'grant.user_id')

  const readByToken = compileOnce(db, (slot: SlotOf<{ tokenHash: string; sessionId: string; now: Date }>) =>
    withRights(grants())
      .innerJoin('oauthAccessToken as token', (join) =>
        join.onRef('token.clientId', '=', 'grant.client_id').onRef('token.userId', '=', 'grant.user_id'),
      )
      .select(['token.scopes', 'token.resources'])
      .select((row) =>
        row
          .exists(row.selectFrom('agent_sessions_ended').select('id').where('id', '=', slot('sessionId')))
          .as('has_ended_session'),
      )
      .where('grant.expires_at', '>', slot('now'))
      .where('token.token', '=', slot('tokenHash'))
      .where('token.expiresAt', '>', slot('now'))
      .where('token.revoked', 'is', null),
  )
  const readById = compileOnce(db, (slot: SlotOf<{ id: string; now: Date }>) =>
    withRights(grants()).where('grant.expires_at', '>', slot('now')).where('grant.id', '=', slot('id')),
  )

  return {
    /** The grant of the live token with this hash, for exactly this audience, and whether this session was ended. */
    findByAccessToken: async ({ tokenHash, resource, sessionId }: TokenUse) => {
      const [row] = await readByToken({ tokenHash, sessionId: sessionId ?? '', now: clock.now() })
      if (row?.resources?.length !== 1 || row.resources[0] !== resource) return undefined
      const { has_ended_session: hasEndedSession, resources: _resources, ...grant } = row
      return { grant: { ...grant, ...dated(grant) } satisfies LiveGrant, hasEndedSession: hasEndedSession === true }
    },

    /** True for a token that was given to a program, also if it has expired or was revoked. */
    isIssued: async (tokenHash: string): Promise<boolean> =>
      (await db.selectFrom('oauthAccessToken').select('id').where('token', '=', tokenHash).executeTakeFirst()) !==
      undefined,

    /** The present state of a grant that was found before; undefined when the grant has ended or is paused. */
    refresh: async (grant: LiveGrant): Promise<LiveGrant | undefined> => {
      const [row] = await readById({ id: grant.id, now: clock.now() })
      return row === undefined || row.paused_at !== null ? undefined : { ...grant, ...row, ...dated(row) }
    },
  }
}

export type AgentRights = ReturnType<typeof agentRightsRepository>

type Tables = Pick<Database, 'member' | 'organization' | 'agent_integrations'> & {
  grant: Database['agent_grants']
  client: Database['oauthClient']
  person: Database['user']
}

/** The columns of a grant, with the organizations of its person that it covers, and all rules of the platform. */
function withRights(grants: SelectQueryBuilder<Database & Tables, 'grant' | 'client' | 'person', object>) {
  return grants
    .select(['grant.id', 'grant.client_id', 'grant.integration_key', 'grant.can_write', 'grant.vaults'])
    .select(['grant.paused_at', 'client.name as client_name', 'person.id as user_id', 'person.name as user_name'])
    .select((from) => [
      jsonArrayFrom(
        from
          .selectFrom('member')
          .innerJoin('organization', 'organization.id', 'member.organizationId')
          .select(['organization.id', 'organization.slug', 'organization.name', 'member.role'])
          .select((row) =>
            jsonArrayFrom(
              row
                .selectFrom('agent_integrations as integration')
                .select(['integration.key', 'integration.state', 'can_write as canWrite', 'expires_at as expiresAt'])
                .whereRef('integration.org_id', '=', 'organization.id')
                // The key itself, or its web origin, which is a prefix of the key.
                .where(sql<boolean>`starts_with("grant".integration_key, integration.key)`),
            ).as('integrations'),
          )
          .whereRef('member.userId', '=', 'grant.user_id')
          .where(sql<boolean>`"grant".vaults @> jsonb_build_array(jsonb_build_object('orgId', organization.id))`)
          .where(isLiving('organization.id')),
      ).as('organizations'),
      jsonArrayFrom(from.selectFrom('agent_rules').select(['key', 'verdict'])).as('rules'),
    ])
}

type Undated = { integrations: { expiresAt: Date | string | null }[] }

/** Converts times, which JSON carries as texts, to dates. */
const dated = <Organization extends Undated>({ organizations }: { organizations: Organization[] }) => ({
  organizations: organizations.map((organization) => ({
    ...organization,
    integrations: organization.integrations.map((one) => ({
      ...(one as Organization['integrations'][number]),
      expiresAt: one.expiresAt === null ? null : new Date(one.expiresAt),
    })),
  })),
})
