import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { PageQuery } from '@svc/shared/wire/admin/admin.api.ts'
import {
  CreateRolloutRequest,
  PlanRolloutRequest,
  RolloutChangeRequest,
  RolloutList,
  RolloutParams,
  RolloutPlan,
  RolloutResult,
} from '@svc/shared/wire/admin/rollouts.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { Guards } from '../http/guards.ts'
import { decodeCursor, encodeCursor } from '../http/page-cursor.ts'
import type { RolloutControl } from './rollout-control.ts'

type Deps = { guards: Guards; rollouts: RolloutControl; checkImage: (image: string) => void }

/** Routes of fleet rollouts: plan, start, read, pause, resume, abort. */
export function rolloutsRoutes({ guards, rollouts, checkImage }: Deps): FastifyPluginAsyncZod {
  const change = [guards.systemAdmin, guards.freshSignIn]

  return async (app) => {
    app.post(
      '/api/admin/rollouts',
      { onRequest: change, schema: { body: CreateRolloutRequest, response: { 200: RolloutResult } } },
      async ({ actor, body: { confirmation, ...request } }) => {
        if (confirmation !== request.image) throw fail('confirmation_mismatch')
        checkImage(request.image)

        const { id } = await rollouts.create({ ...request, actor })
        return { ok: true as const, rollout: await rollouts.find(id) }
      },
    )

    app.post(
      '/api/admin/rollouts/plan',
      { onRequest: guards.systemAdmin, schema: { body: PlanRolloutRequest, response: { 200: RolloutPlan } } },
      async ({ body }) => {
        checkImage(body.image)
        const { total, alreadyThere, waves } = await rollouts.plan(body)
        const shown = waves.map(({ name, members }, index) => {
          const sleeping = members.filter((member) => member.sleeping).length
          return { index, name, members: members.length, sleeping }
        })
        return { ok: true as const, image: body.image, total, alreadyThere, waves: shown }
      },
    )

    app.get(
      '/api/admin/rollouts',
      { onRequest: guards.systemAdmin, schema: { querystring: PageQuery, response: { 200: RolloutList } } },
      async ({ query: { limit, cursor } }) => {
        const [createdAt, id] = decodeCursor(cursor, ['time', 'text']) ?? []
        const found = await rollouts.list(limit + 1, createdAt && id ? { createdAt, id } : undefined)
        const page = found.slice(0, limit)
        const last = page.at(-1)
        const more = found.length > limit && last
        return {
          ok: true as const,
          rollouts: page,
          ...(more ? { nextCursor: encodeCursor(last.createdAt, last.id) } : {}),
        }
      },
    )

    app.get(
      '/api/admin/rollouts/:rolloutId',
      { onRequest: guards.systemAdmin, schema: { params: RolloutParams, response: { 200: RolloutResult } } },
      async ({ params: { rolloutId } }) => ({ ok: true as const, rollout: await rollouts.find(rolloutId) }),
    )

    for (const verb of ['pause', 'resume', 'abort'] as const)
      app.post(
        `/api/admin/rollouts/:rolloutId/${verb}`,
        {
          onRequest: change,
          schema: { params: RolloutParams, body: RolloutChangeRequest, response: { 200: RolloutResult } },
        },
        async ({ actor, params: { rolloutId }, body }) => {
          await rollouts[verb](rolloutId, { ...body, actor })
          return { ok: true as const, rollout: await rollouts.find(rolloutId) }
        },
      )
  }
}
