import type { IntegrationState } from '../db/tables/agents.tables.ts'

/** The present state of an integration: as stored, or ended by time or by the platform. */
export type Standing = IntegrationState | 'expired' | 'blocked'

export type IntegrationFacts = { key: string; state: IntegrationState; canWrite: boolean; expiresAt: Date | null }
export type RuleFacts = { key: string; verdict: 'allowed' | 'blocked' }

/**
 * The platform's decision about a key: blocked keys never work, and as soon as any rule allows something, nothing else
 * works. A rule for a web origin covers every key of that origin. Pure.
 */
export function isBlocked({ keys, rules }: { keys: string[]; rules: RuleFacts[] }): boolean {
  const verdicts = rules.filter(({ key }) => keys.includes(key)).map(({ verdict }) => verdict)
  if (verdicts.includes('blocked')) return true
  return rules.some(({ verdict }) => verdict === 'allowed') && !verdicts.includes('allowed')
}

/** The state of one integration at a time. Pure. */
export function standingOf({ state, expiresAt }: IntegrationFacts, now: Date): Standing {
  return state === 'approved' && expiresAt !== null && expiresAt <= now ? 'expired' : state
}

export type Access =
  { standing: 'approved'; canWrite: boolean; key: string } | { standing: Exclude<Standing, 'approved'> | 'unknown' }

/**
 * Whether a client may work in an organization now. A decision about its exact key takes precedence over one about its
 * web origin. Pure.
 */
export function decideAccess(facts: {
  /** The key of the client, then its web origin if it has one. */
  keys: string[]
  integrations: IntegrationFacts[]
  rules: RuleFacts[]
  now: Date
}): Access {
  if (isBlocked(facts)) return { standing: 'blocked' }
  const found = facts.keys
    .map((key) => facts.integrations.find((integration) => integration.key === key))
    .filter((integration) => integration !== undefined)
    .map((integration) => ({ integration, standing: standingOf(integration, facts.now) }))
  // Neither a request of the exact key nor its lapsed approval must hide the approval of its whole site.
  const decided = found.find(({ standing }) => standing !== 'requested' && standing !== 'expired') ?? found[0]
  if (decided === undefined) return { standing: 'unknown' }
  const { integration, standing } = decided
  return standing === 'approved' ? { standing, canWrite: integration.canWrite, key: integration.key } : { standing }
}
