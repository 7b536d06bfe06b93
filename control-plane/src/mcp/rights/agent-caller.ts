import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { RateLimit } from '../../http/rate-limit.ts'
import type { Integrations } from '../../integrations/integrations.domain.ts'
import { accessTo, type GrantedOrganization, type LiveGrant } from './agent-rights.ts'

/** `follows` is a query of ours for an agent that waits for changes. It is checked like a call but not counted. */
export type CallKind = 'reads' | 'writes' | 'follows'
/** What decides about calls, besides the rights of their token. */
export type AgentCallerDeps = {
  request: Integrations['request']
  countUse(use: { grantId: string; orgId: string; integration: string; kind: 'reads' | 'writes' }): void
  rateLimit: RateLimit
  clock: Pick<Clock, 'now'>
  log: Log
}
export type Target = {
  grant: LiveGrant
  org: string
  vaultId?: string | undefined
  kind: CallKind
  /** Set for a call that is decided again after a wait. */
  counting?: 'counted_before'
}

/** What a call may do, decided now. `vaults` is undefined when the grant covers the whole organization. */
export type Admitted = {
  organization: GrantedOrganization
  integration: string
  canWrite: boolean
  vaults: string[] | undefined
  /** Counts the call after its response. */
  countUse(): void
}

const CALLS_BY_CLIENT = { key: 'agent-calls', max: 600, seconds: 60 }
const CALLS_IN_ORGANIZATION = { key: 'agent-calls-org', max: 3_000, seconds: 60 }
/** However many programs a person connects, others have half of the organization's calls. */
const CALLS_OF_PERSON = { key: 'agent-calls-person', max: 1_500, seconds: 60 }

/**
 * Decides about one call: the person is a member, chose this organization and vault at consent, and the admins approved
 * the kind of client. The grant was read for this request, so every revocation takes effect with the next one.
 */
export function createAgentCaller({ request, countUse, rateLimit, clock, log }: AgentCallerDeps) {
  const asked = async (organization: GrantedOrganization, grant: LiveGrant, standing: string): Promise<never> => {
    const orgId = organization.id
    const requested = await request({
      orgId,
      key: grant.integration_key,
      name: grant.client_name ?? 'Unnamed program',
      userId: grant.user_id,
    })
    if (requested === 'recorded') log.info({ orgId }, 'a program waits for the approval of an organization')
    const details = { organization: organization.slug, standing }
    throw fail('integration_not_approved', details, { message: wordsOf(standing, requested) })
  }

  return async ({ grant, org, vaultId, kind, counting }: Target): Promise<Admitted> => {
    const counts = kind !== 'follows' && counting === undefined
    refuseWhilePaused(grant)
    if (counts) await rateLimit({ ...CALLS_BY_CLIENT, client: grant.id })
    const name = org.startsWith('org_') ? 'id' : 'slug'
    const organization = grant.organizations.find((one) => one[name] === org)
    if (organization === undefined)
      throw fail('not_found', { next: 'Take org from list_orgs.' }, { message: 'No such organization here.' })
    const orgId = organization.id
    if (counts) await rateLimit({ ...CALLS_OF_PERSON, client: `${orgId}:${grant.user_id}` })

    const chosen = grant.vaults.filter((one) => one.orgId === orgId)
    const vaults = chosen.some((one) => one.vaultId === null) ? undefined : chosen.map((one) => String(one.vaultId))
    if (vaultId !== undefined && vaults !== undefined && !vaults.includes(vaultId))
      throw fail('not_found', { next: 'Take vaultId from list_vaults.' }, { message: 'No such vault here.' })
    const access = accessTo({ grant, organization, now: clock.now() })
    if (access.standing !== 'approved') return asked(organization, grant, access.standing)
    // Only now: programs that nobody approved must not spend the calls of those that are.
    if (counts) await rateLimit({ ...CALLS_IN_ORGANIZATION, client: orgId })
    const canWrite = access.canWrite && grant.can_write && grant.scopes.includes('write')
    if (kind === 'writes' && !canWrite)
      throw fail(
        'forbidden',
        { access: 'read' },
        {
          message: access.canWrite
            ? 'You were connected for reading alone. Disconnect, connect again and choose read and write.'
            : 'The admins of this organization approved this program for reading alone.',
        },
      )

    const use = {
      grantId: grant.id,
      orgId,
      integration: access.key,
      kind: kind === 'writes' ? 'writes' : 'reads',
    } as const
    return { organization, integration: access.key, canWrite, vaults, countUse: () => countUse(use) }
  }
}

/** Fails while the person has paused the program. */
export function refuseWhilePaused({ paused_at: pausedAt }: LiveGrant): void {
  if (pausedAt === null) return
  const message = 'The person who connected this program has paused it. Ask them to resume it under Connected programs.'
  throw fail('forbidden', { standing: 'paused_by_person' }, { message })
}

export type AgentCaller = ReturnType<typeof createAgentCaller>

function wordsOf(standing: string, requested: Awaited<ReturnType<AgentCallerDeps['request']>>): string {
  const saysThatItWasSent = standing === 'unknown' || standing === 'expired'
  if (saysThatItWasSent && requested === 'no_room') return NO_ROOM
  return words[standing] ?? words['requested']!
}

const NO_ROOM =
  'An admin of this organization must approve this program first. No request was sent, because too many programs wait for a decision already; ask an admin to decide about these under Agents in the app, then try again.'
const words: Record<string, string> = {
  unknown:
    'An admin of this organization must approve this program first. The request was sent just now; ask an admin to open Agents in the app.',
  requested:
    'This program waits for the approval of an admin of this organization. Ask an admin to open Agents in the app.',
  expired:
    'The approval of this program has expired. A request to renew it was sent; ask an admin to open Agents in the app.',
  paused: 'An admin of this organization has paused this program. Ask an admin to resume it under Agents.',
  revoked: 'An admin of this organization has revoked this program.',
  blocked: 'This program is not allowed on this platform.',
}
