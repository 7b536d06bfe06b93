import {
  createMcpHandler,
  InMemoryServerEventBus,
  isLegacyRequest,
  Server,
  type McpHttpHandler,
} from '@modelcontextprotocol/server'
import type { ReadableStream } from 'node:stream/web'
import type { Log } from '@svc/shared/kit/log.ts'
import { noElicitation } from '@svc/shared/wire/mcp/no-elicitation.ts'
import { limitUnread } from './limit-unread.ts'
import { capabilities, INSTRUCTIONS, serverInfo, type PlatformFeatures, type Sender } from './platform-features.ts'

type Deps = { features: PlatformFeatures; version: string; maxBodyBytes: number; log: Log }
type Sent = { body: unknown; sender: Sender }
/** A stream of `subscriptions/listen`; `ended` aborts when it ends. */
type Listening = { tell(uri: string): void; end(): void; ended: AbortSignal }

/** Requests of version 2026-07-28, which has no sessions. Every request gets a server of its own, so callers share no state. */
export function createModernRequests({ features, version, maxBodyBytes, log }: Deps) {
  const onerror = (error: Error) => log.debug({ reason: error.message }, 'an MCP request was refused')

  const serve = (sender: Sender): Server => {
    const server = new Server(serverInfo(version), {
      capabilities,
      instructions: INSTRUCTIONS,
      jsonSchemaValidator: noElicitation,
    })
    const by = { ...sender, id: 0, progress: undefined }
    server.setRequestHandler('tools/list', () => features['tools/list']())
    server.setRequestHandler('tools/call', ({ params }, { mcpReq }) => {
      const { _meta: meta } = mcpReq
      const progressToken = meta?.progressToken
      const progress = (seconds: number) => {
        const told = { progressToken: progressToken!, progress: seconds, message: `running for ${seconds} s` }
        void mcpReq.notify({ method: 'notifications/progress', params: told }).catch(() => {})
      }
      const asked = { ...sender, id: mcpReq.id, progress: progressToken === undefined ? undefined : progress }
      return features['tools/call'](params, asked)
    })
    server.setRequestHandler('resources/list', ({ params = {} }) => features['resources/list'](params, by))
    server.setRequestHandler('resources/templates/list', () => features['resources/templates/list']())
    server.setRequestHandler('resources/read', ({ params }) => features['resources/read'](params, by))
    server.setRequestHandler('prompts/list', () => features['prompts/list']())
    server.setRequestHandler('prompts/get', ({ params }) => features['prompts/get'](params))
    server.setRequestHandler('completion/complete', ({ params }) => features['completion/complete'](params, by))
    return server
  }

  const handler = createMcpHandler(({ authInfo }) => serve(authInfo?.extra?.['sender'] as Sender), {
    legacy: 'reject',
    // The headers of the response are sent before the work is done.
    responseMode: 'sse',
    maxRequestBodySize: maxBodyBytes,
    onerror,
  })

  return {
    /** True for a message of this version; others belong to versions with sessions. */
    takes: async (request: Request, body: unknown): Promise<boolean> => !(await isLegacyRequest(request, body)),

    fetch: (request: Request, { body, sender }: Sent): Promise<Response> =>
      handler.fetch(request, {
        parsedBody: body,
        authInfo: { token: '', clientId: sender.grant.client_id, scopes: sender.grant.scopes, extra: { sender } },
      }),

    /** Serves `subscriptions/listen` with a bus that no other caller hears; `follow` gets the stream once it is open. */
    listen: async (
      request: Request,
      { body, sender }: Sent,
      follow: (stream: Listening) => void,
    ): Promise<Response> => {
      const bus = new InMemoryServerEventBus(onerror)
      const own: McpHttpHandler = createMcpHandler(() => serve(sender), { legacy: 'reject', bus, onerror })
      const response = await own.fetch(request, { parsedBody: body })
      if (response.headers.get('content-type') !== 'text/event-stream') return response
      const { body: limited, ended } = limitUnread(response.body as ReadableStream<Uint8Array>)
      follow({ tell: (uri) => bus.publish({ kind: 'resource_updated', uri }), end: () => void own.close(), ended })
      return new Response(limited as BodyInit, response)
    },

    close: handler.close,
  }
}

export type ModernRequests = ReturnType<typeof createModernRequests>
