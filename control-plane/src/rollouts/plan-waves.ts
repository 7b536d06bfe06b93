import { createHash } from 'node:crypto'
import type { RolloutSettings } from '@svc/shared/wire/admin/rollouts.api.ts'

export type FleetMember = { orgId: string; sleeping: boolean }
export type Wave = { name: string; members: FleetMember[] }

/**
 * Divides a fleet into waves: canaries first, then cumulative shares of the whole. A hash of the seed and the id
 * decides the order, so waves are not alphabetical and a repeat gives the same ones. Pure.
 */
export function planWaves(
  fleet: FleetMember[],
  { canary, shares }: Pick<RolloutSettings, 'canary' | 'shares'>,
  seed: string,
): Wave[] {
  const mixed = fleet
    .map((member) => ({ member, rank: createHash('sha256').update(`${seed} ${member.orgId}`).digest('hex') }))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ member }) => member)
  const canaries = chooseCanaries(mixed, canary)
  const chosen = new Set(canaries)
  const rest = mixed.filter((member) => !chosen.has(member))

  const waves: Wave[] = [{ name: 'canary', members: canaries }]
  let taken = 0
  for (const share of shares) {
    const upTo = Math.min(rest.length, Math.max(taken, Math.ceil((fleet.length * share) / 100) - canaries.length))
    waves.push({ name: `${share} %`, members: rest.slice(taken, upTo) })
    taken = upTo
  }
  return waves.filter(({ members }) => members.length > 0)
}

// A sleeping canary shows nothing, so running ones are preferred, except for organizations named as canaries.
function chooseCanaries(mixed: FleetMember[], { count, orgIds }: RolloutSettings['canary']): FleetMember[] {
  const named = mixed.filter(({ orgId }) => orgIds.includes(orgId))
  const others = mixed.filter(({ orgId }) => !orgIds.includes(orgId))
  const awakeFirst = [...others.filter(({ sleeping }) => !sleeping), ...others.filter(({ sleeping }) => sleeping)]
  return [...named, ...awakeFirst.slice(0, Math.max(0, count - named.length))]
}
