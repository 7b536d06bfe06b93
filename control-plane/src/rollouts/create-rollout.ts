import { fail } from '@svc/shared/wire/errors.ts'
import type { Actor } from '@svc/shared/wire/admin/admin.api.ts'
import type { RolloutSettings } from '@svc/shared/wire/admin/rollouts.api.ts'
import { idBody } from '@svc/shared/wire/ids.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { isSameImage } from '@svc/shared/wire/image-reference.ts'
import type { ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'
import type { ResolveImage } from '../registry/resolve-image.ts'
import { canonicalJson } from '../audit/canonical-json.ts'
import { planWaves, type Wave } from './plan-waves.ts'
import type { NewRollout, RolloutRecord, RolloutsRepository } from './rollouts.repository.ts'

type Deps = { rollouts: RolloutsRepository; store: Pick<ManagedDaemonStore, 'list'>; resolveImage: ResolveImage }
export type RolloutRequest = {
  operationId: string
  image: string
  reason: string
  actor: Actor
  settings: RolloutSettings
}
export type FleetPlan = { total: number; alreadyThere: number; waves: Wave[] }

/** Divides the present fleet. Daemons that already want the image, or are being deleted, are left out. */
export async function planFleet(
  store: Deps['store'],
  { image, settings }: Pick<RolloutRequest, 'image' | 'settings'>,
  seed: string,
): Promise<FleetPlan> {
  const daemons = (await store.list()).filter(({ deletedAt }) => deletedAt === undefined)
  const elsewhere = daemons.filter(
    ({ spec, status }) => !(isSameImage(image, spec.image) && isSameImage(image, status.image ?? '')),
  )
  const fleet = elsewhere.map(({ spec }) => ({ orgId: spec.orgId, sleeping: spec.desiredState === 'sleeping' }))
  return {
    total: daemons.length,
    alreadyThere: daemons.length - elsewhere.length,
    waves: planWaves(fleet, settings, seed),
  }
}

/** Records a rollout of the fleet to an image. Repeating the request returns the same rollout. */
export function createRollout({ rollouts, store, resolveImage }: Deps) {
  return async (asked: RolloutRequest): Promise<RolloutRecord> => {
    const known = await rollouts.findByOperation(asked.operationId)
    if (known) return sameOrConflict(known, asked)
    if (await rollouts.hasOpen()) throw fail('rollout_conflict', { reason: 'AnotherRolloutIsOpen' })

    // One digest for the whole fleet, however long the rollout takes and wherever the tag moves.
    const request = { ...asked, image: await resolveImage(asked.image) }
    const id = newId('rol_')
    const { waves } = await planFleet(store, request, id)
    const rollout: NewRollout = { id, ...request }
    const members = waves.flatMap(({ members: orgs }, wave) =>
      orgs.map(({ orgId }) => ({ orgId, wave, operationId: memberOperationId(id, orgId) })),
    )
    const created = await rollouts.insert(rollout, members)
    if (created) return created

    const raced = await rollouts.findByOperation(request.operationId)
    if (raced) return sameOrConflict(raced, asked)
    throw fail('rollout_conflict', { reason: 'AnotherRolloutIsOpen' })
  }
}

/** The id of the operation that rolls one organization in one rollout: always the same, so it is rolled once. */
const memberOperationId = (rolloutId: string, orgId: string): string => `rollout-${idBody(rolloutId)}-${idBody(orgId)}`

/** The rollout of an operation, if it belongs to one. */
export const rolloutOfOperation = (operationId: string): string | undefined => {
  const [, body] = /^rollout-([a-z2-7]{24})-[a-z2-7]{24}$/.exec(operationId) ?? []
  return body && `rol_${body}`
}

function sameOrConflict(known: RolloutRecord, { image, reason, actor, settings }: RolloutRequest): RolloutRecord {
  const same = {
    actor: known.actor.kind === actor.kind && known.actor.id === actor.id,
    reason: known.reason === reason,
    parameters: isSameImage(image, known.image) && canonicalJson(known.settings) === canonicalJson(settings),
  }
  const differing = Object.keys(same).filter((part) => !same[part as keyof typeof same])
  if (differing.length > 0) throw fail('operation_conflict', { differing })
  return known
}
