import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { fail } from '@svc/shared/wire/errors.ts'
import { AgentCallAnswer, AgentCallRequest } from '@svc/shared/wire/mcp/agent-call.api.ts'
import { holdBody, type TextRoom } from '../http/text-room.ts'
import { remoteClient } from './tool-caller.ts'
import type { Tool } from './tool.ts'

type Deps = { tools: () => Promise<readonly Tool[]>; textRoom: TextRoom; maxBodyBytes: number }

/**
 * The tools for agents of the control plane, one call per request. It admits only an agent's assertion, never a local
 * request: the assertion identifies the caller and its rights.
 */
export function agentRoutes({ tools, textRoom, maxBodyBytes }: Deps): FastifyPluginAsyncZod {
  return async (app) => {
    app.post(
      '/api/agent/call',
      {
        bodyLimit: maxBodyBytes,
        preParsing: holdBody(textRoom, maxBodyBytes),
        config: { relayed: ['agent'] },
        schema: { body: AgentCallRequest, response: { 200: AgentCallAnswer } },
      },
      async ({ body, caller }) => {
        if (caller.kind !== 'agent') throw fail('not_found')
        const tool = (await tools()).find(({ definition }) => definition.name === body.tool)
        if (!tool) throw fail('invalid_request', [{ path: 'tool', message: 'is not the name of a tool' }])
        return { ok: true as const, ...(await tool.call(body.arguments, remoteClient(caller.claims))) }
      },
    )
  }
}
