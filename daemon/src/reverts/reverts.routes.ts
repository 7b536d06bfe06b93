import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import type { z } from 'zod'
import { RevertRequest, RevertResult, UndoneList } from '@svc/shared/wire/daemon/daemon-reverts.api.ts'
import { VaultParams } from '@svc/shared/wire/daemon/daemon.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { UndoneCount } from '../audit/undone-changes.ts'
import type { Actor } from '../entry/actor.ts'
import type { Author } from '../entry/author.ts'
import { parseVaultPath } from '../files/vault-path.ts'
import { JSON_TYPE, jsonInSlices } from '../http/json-in-slices.ts'
import { actorOf } from '../http/request-caller.ts'
import { PLAN_BYTES, type TextRoom } from '../http/text-room.ts'
import type { VaultRegistry } from '../vaults/vault-registry.ts'
import { slices } from '../watch/slices.ts'
import type { PlannedNote } from './planned-note.ts'
import type { PrepareRevert } from './prepare-revert.ts'
import type { RevertChanges } from './revert-changes.ts'

type Deps = {
  registry: VaultRegistry
  prepareRevert: PrepareRevert
  revertChanges: RevertChanges
  textRoom: TextRoom
}

/** Reverts the changes of one agent or author, and counts the reverted changes of each agent. */
export function revertsRoutes({ registry, prepareRevert, revertChanges, textRoom }: Deps): FastifyPluginAsyncZod {
  return async (app) => {
    app.post(
      '/api/vaults/:vaultId/revert',
      {
        config: { relayed: ['vault-member'] },
        schema: { params: VaultParams, body: RevertRequest, response: { 200: RevertResult } },
      },
      async ({ params, body: { client, person, actor, since, until, path, dryRun, review }, caller }, reply) => {
        const by = actorOf(caller)
        const wish = {
          vault: registry.find(params.vaultId),
          since,
          until,
          path: path === undefined ? undefined : parseVaultPath(path),
          isMine: authorsToRevert(by, { client, person, actor }),
        }
        const keepOnly = await textRoom.until(reply.raw, caller)(PLAN_BYTES)
        const plan = dryRun ? await prepareRevert(wish) : await revertChanges({ ...wish, by, review })
        const notes = plan.notes.map(({ path: at, action, to, after, diff, conflicts }) => ({
          path: at,
          action,
          to,
          baseline: after,
          diff,
          conflicts,
        }))
        keepOnly(2 * lengthOf(notes))
        const answer: z.infer<typeof RevertResult> = { ok: true, dryRun, review: plan.review, notes, left: plan.left }
        return reply.type(JSON_TYPE).send(jsonInSlices(answer, slices()) as never)
      },
    )

    app.get(
      '/api/ops/undone',
      { config: { relayed: ['service:vaults:list'] }, schema: { response: { 200: UndoneList } } },
      async () => {
        const vaults = registry
          .list()
          .map(async ({ id, audit }) => ({ id, agents: ofControlPlane(await audit.undone()) }))
        return { ok: true as const, vaults: await Promise.all(vaults) }
      },
    )
  }
}

/** The characters that are sent, nearly all of which may be in a few large notes. */
const lengthOf = (notes: readonly Pick<PlannedNote, 'diff' | 'conflicts'>[]): number =>
  notes
    .flatMap(({ diff, conflicts }) => [diff, ...conflicts.flatMap(({ now, before }) => [now, before])])
    .reduce((sum, { length }) => sum + length, 0)

/**
 * The agents that were admitted by the control plane, which alone requests this. A local program could have any name.
 */
function ofControlPlane(counts: readonly UndoneCount[]) {
  return counts.flatMap(({ person, integration, ...count }) =>
    person === undefined || integration === undefined ? [] : { ...count, person, integration },
  )
}

type Whose = { client?: string | undefined; person?: string | null | undefined; actor?: string | undefined }

/** The authors whose changes may be reverted. For a member: the member and the agents that act for them. */
function authorsToRevert(by: Actor, { client, person, actor }: Whose): (author: Author) => boolean {
  const member = by.kind === 'person' && by.role === 'member' ? by.id : undefined
  const whose = client === undefined ? actor : person === undefined ? member : person
  if (member !== undefined && whose !== member) throw fail('forbidden')
  if (client === undefined) return ({ id }) => id === actor
  return ({ id, name, person: actedFor }) =>
    id === 'mcp_client' && name === client && (whose === undefined || (actedFor?.id ?? null) === whose)
}
