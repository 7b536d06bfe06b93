import { createMcpHandler, isLegacyRequest, Server, type McpHttpHandler } from '@modelcontextprotocol/server'
import { noElicitation } from '@svc/shared/wire/mcp/no-elicitation.ts'
import { INSTRUCTIONS, serverInfo, type Features } from './features.ts'
import { lostCall } from './lost-call.ts'
import type { ResourceUpdates } from './resource-updates.ts'
import { localClient } from './tool-caller.ts'

type Deps = { features: Features; updates: ResourceUpdates; version: string; onError: (error: Error) => void }

/** The features for protocol version 2026-07-28, which has no sessions: each request identifies its client. */
export type ModernHandler = {
  /** True for a message of this version; others belong to a session. */
  takes(request: Request, body: unknown): Promise<boolean>
  answer(request: Request, body: unknown): Promise<Response>
  /** Follows the resources of which a message wants to be told, until the returned function is called. */
  follow(body: unknown): () => void
  close(): Promise<void>
}

const MAX_SUBSCRIPTIONS = 100

export function modernHandler({ features, updates, version, onError }: Deps): ModernHandler {
  const running = new Set<(failure: Error) => void>()
  /** The result of a request, or its loss when the daemon stops. */
  const untilClosed: UntilClosed = (result) =>
    new Promise((resolve, reject) => {
      running.add(reject)
      void result.then(resolve, reject).finally(() => running.delete(reject))
    })
  const handler: McpHttpHandler = createMcpHandler(() => modernServer({ features, version, untilClosed }), {
    legacy: 'reject',
    // The response headers are sent before the work is done.
    responseMode: 'sse',
    maxSubscriptions: MAX_SUBSCRIPTIONS,
    onerror: onError,
  })
  const follower = updates.follower((uri) => handler.notify.resourceUpdated(uri))
  return {
    takes: async (request, body) => !(await isLegacyRequest(request, body)),
    answer: (request, body) => handler.fetch(request, { parsedBody: body }),
    follow(body) {
      const uris = followedIn(body)
      uris.forEach(follower.follow)
      return () => uris.forEach(follower.unfollow)
    },
    async close() {
      follower.close()
      for (const lose of running) lose(lostCall())
      // The handler ends the responses without a result, so let it send these failures first.
      await new Promise((resolve) => setImmediate(resolve))
      await handler.close()
    },
  }
}

type Listening = { method?: unknown; params?: { notifications?: { resourceSubscriptions?: unknown } } }

/** The addresses in a request to be told of resources. The SDK checks the request. */
function followedIn(body: unknown): string[] {
  const { method, params } = (body ?? {}) as Listening
  const uris = method === 'subscriptions/listen' ? params?.notifications?.resourceSubscriptions : []
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : []
}

type UntilClosed = <Result>(result: Promise<Result>) => Promise<Result>
type ServerDeps = Pick<Deps, 'features' | 'version'> & { untilClosed: UntilClosed }

function modernServer({ features, version, untilClosed }: ServerDeps): Server {
  const capabilities = { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {} }
  const server = new Server(serverInfo(version), {
    capabilities,
    instructions: INSTRUCTIONS,
    jsonSchemaValidator: noElicitation,
  })
  server.setRequestHandler('tools/list', features.listTools)
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const { _meta: meta } = mcpReq
    const progressToken = meta?.progressToken
    const progress = (seconds: number) =>
      void mcpReq
        .notify({
          method: 'notifications/progress',
          params: { progressToken, progress: seconds, message: `running for ${seconds} s` },
        })
        .catch(() => {})
    const call = features.callTool({
      name: params.name,
      args: params.arguments,
      caller: localClient(server.getClientVersion()?.name ?? 'unknown', mcpReq.signal),
      progress: progressToken === undefined ? undefined : progress,
    })
    return untilClosed(call)
  })
  server.setRequestHandler('resources/list', ({ params }) => untilClosed(features.listResources(params?.cursor)))
  server.setRequestHandler('resources/templates/list', features.listResourceTemplates)
  server.setRequestHandler('resources/read', ({ params }) => untilClosed(features.readResource(params.uri)))
  server.setRequestHandler('prompts/list', features.listPrompts)
  server.setRequestHandler('prompts/get', ({ params }) => features.getPrompt(params.name, params.arguments))
  server.setRequestHandler('completion/complete', ({ params }) =>
    untilClosed(features.complete({ ...params.argument, vaultId: params.context?.arguments?.['vaultId'] })),
  )
  return server
}
