import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { loadOnce } from '@svc/shared/kit/load-once.ts'
import { whenClosed } from '@svc/shared/kit/when-closed.ts'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { holdBody, type TextRoom } from '../http/text-room.ts'
import type { ChangeStream } from '../events/change-stream.ts'
import type { ReadNote } from '../notes/read-note.ts'
import type { Vault } from '../vaults/vault.ts'
import type { VaultRegistry } from '../vaults/vault-registry.ts'
import type { ModernHandler } from './modern-handler.ts'
import { resourceUpdates } from './resource-updates.ts'
import { rpcCodes } from '@svc/shared/wire/mcp/rpc-failure.ts'
import type { McpSessions } from './mcp-sessions.ts'
import type { Tool } from './tool.ts'
import { vaultResources } from './resources/vault-resources.ts'
import { webRequestOf } from './web-request.ts'

type Deps = {
  tools: () => Promise<readonly Tool[]>
  registry: VaultRegistry
  readNote: ReadNote
  changesOf: (vault: Vault) => ChangeStream
  textRoom: TextRoom
  version: string
  clock: Clock
  log: Log
}
type Endpoint = { sessions: McpSessions; modern: ModernHandler }

// Parsed on the event loop; longer files travel over REST.
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024
const MAX_BATCH = 20

/**
 * The MCP endpoint (Streamable HTTP), for this machine only: protocol versions with sessions, and 2026-07-28 without.
 * The SDKs are loaded at the first request: a daemon without agents does not pay for them.
 */
export function mcpRoutes({
  tools,
  registry,
  readNote,
  changesOf,
  textRoom,
  version,
  clock,
  log,
}: Deps): FastifyPluginAsyncZod {
  const updates = resourceUpdates({ registry, changesOf })
  let loading: Promise<Endpoint> | undefined

  const load = loadOnce(async (): Promise<Endpoint> => {
    const [table, { createFeatures }, { sessionServer }, { mcpSessions }, { modernHandler }] = await Promise.all([
      tools(),
      import('./features.ts'),
      import('./session-server.ts'),
      import('./mcp-sessions.ts'),
      import('./modern-handler.ts'),
    ])
    const features = createFeatures({ tools: table, resources: vaultResources({ registry, readNote }), registry, log })
    const onError = (error: Error) => log.debug({ err: error }, 'an MCP request was refused')
    return {
      sessions: mcpSessions({ makeServer: () => sessionServer({ features, updates, version }), clock }),
      modern: modernHandler({ features, updates, version, onError }),
    }
  })
  const endpoint = () => (loading = load())

  async function exchange(request: FastifyRequest, reply: FastifyReply, body: unknown) {
    const { sessions } = await endpoint()
    const id = request.headers['mcp-session-id']
    // A client may initialize again with the id of a session that has ended.
    if (isInitialize(body)) {
      reply.hijack()
      return sessions.begin({ request: request.raw, response: reply.raw, body })
    }
    if (typeof id !== 'string')
      return refuse(reply, {
        status: 400,
        code: rpcCodes.invalidRequest,
        message: 'Send initialize first, then mcp-session-id.',
      })

    reply.hijack()
    if (sessions.proceed(id, { request: request.raw, response: reply.raw, body })) return reply
    const error = { code: rpcCodes.noSession, message: 'Session not found; initialize again.' }
    reply.raw.writeHead(404, { 'content-type': 'application/json' })
    reply.raw.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }))
    return reply
  }

  return async (app) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('application/json', { parseAs: 'string' }, async (_request: unknown, text: string) => text)
    app.setErrorHandler<FastifyError>((error, _request, reply) => {
      if (error.statusCode === 413)
        return refuse(reply, {
          status: 413,
          code: rpcCodes.invalidRequest,
          message: `A message has at most ${MAX_MESSAGE_BYTES} bytes.`,
        })
      throw error
    })
    // Streams that only listen would keep the server from closing.
    app.addHook('preClose', async () => {
      const loaded = await loading?.catch(() => undefined)
      await Promise.all([loaded?.sessions.close(), loaded?.modern.close()])
      updates.close()
    })
    const options = { config: { produces: [] }, schema: { hide: true } }

    app.post(
      '/mcp',
      { ...options, bodyLimit: MAX_MESSAGE_BYTES, preParsing: holdBody(textRoom, MAX_MESSAGE_BYTES) },
      async (request, reply) => {
        const body = parseMessage(request.body)
        if (body === undefined) return refuse(reply, { status: 400, code: rpcCodes.parseError, message: 'Parse error' })
        if (Array.isArray(body) && (body.length === 0 || body.length > MAX_BATCH))
          return refuse(reply, {
            status: 400,
            code: rpcCodes.invalidRequest,
            message: `A batch has 1 to ${MAX_BATCH} messages.`,
          })
        const { modern, sessions } = await endpoint()
        // Checked before the version without sessions: a web request, which that needs, takes as much work as a small
        // tool.
        const id = request.headers['mcp-session-id']
        if (typeof id === 'string' && sessions.has(id)) return exchange(request, reply, body)
        const asked = webRequestOf(request.raw, reply.raw)
        if (await modern.takes(asked, body)) {
          whenClosed(reply.raw, modern.follow(body))
          return reply.send(await modern.answer(asked, body))
        }
        return exchange(request, reply, body)
      },
    )
    const listening = { ...options.config, quiet: true as const }
    app.get('/mcp', { ...options, exposeHeadRoute: false, config: listening }, (request, reply) =>
      exchange(request, reply, undefined),
    )
    app.delete('/mcp', options, (request, reply) => exchange(request, reply, undefined))
  }
}

type Refusal = { status: number; code: number; message: string }

function refuse(reply: FastifyReply, { status, code, message }: Refusal) {
  return reply.code(status).type('application/json').send({ jsonrpc: '2.0', id: null, error: { code, message } })
}

function parseMessage(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}

function isInitialize(body: unknown): boolean {
  return [body].flat().some((message) => (message as { method?: unknown } | null)?.method === 'initialize')
}
