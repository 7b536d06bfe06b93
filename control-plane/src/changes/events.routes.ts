import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import type { Guards } from '../http/guards.ts'
import type { ChangeStreams } from './change-streams.ts'

type Deps = { guards: Guards; streams: ChangeStreams; mayAdminister(userId: string): Promise<boolean> }

const EventText = z
  .string()
  .describe('Server-sent events `hello`, `change`, `beat`, `resync` and `end`; see docs/protocol/events.md.')

/** Streams the changes that concern a person as server-sent events, until the session ends. */
export function eventsRoutes({ guards, streams, mayAdminister }: Deps): FastifyPluginAsyncZod {
  return async (app) => {
    app.addHook('preClose', async () => streams.endAll())

    app.get(
      '/api/events',
      {
        onRequest: guards.signedIn,
        schema: { response: { 200: { content: { 'text/event-stream': { schema: EventText } } } } },
      },
      async ({ session }, reply) => {
        const userId = session.person.id
        const isSystemAdmin = await mayAdminister(userId)
        const body = await streams.open({ sessionId: session.id, userId, isSystemAdmin })
        // A proxy that buffers responses would delay every event.
        return reply
          .type('text/event-stream; charset=utf-8')
          .header('x-accel-buffering', 'no')
          .send(body as never)
      },
    )
  }
}
