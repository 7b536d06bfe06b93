import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { INSTRUCTIONS, serverInfo, type Features } from './features.ts'
import type { ResourceUpdates } from './resource-updates.ts'
import { RpcFailure, rpcCodes } from '@svc/shared/wire/mcp/rpc-failure.ts'
import { localClient } from './tool-caller.ts'

type Deps = { features: Features; updates: ResourceUpdates; version: string }

const MAX_SUBSCRIPTIONS = 100

/**
 * The features for one session of the protocol versions with sessions (2025-03-26 to 2025-11-25). Each session has its
 * own server: sharing one between clients would mix their answers.
 */
export function sessionServer({ features, updates, version }: Deps): Server {
  const capabilities = { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {} }
  const server = new Server(serverInfo(version), { capabilities, instructions: INSTRUCTIONS })
  const subscribed = new Set<string>()
  let stop: (() => void) | undefined

  server.setRequestHandler(ListToolsRequestSchema, features.listTools)
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { _meta, signal, sendNotification }) => {
    const progressToken = _meta?.progressToken
    const progress = (seconds: number) =>
      void sendNotification({
        method: 'notifications/progress',
        params: { progressToken: progressToken!, progress: seconds, message: `running for ${seconds} s` },
      }).catch(() => {})
    return features.callTool({
      name: params.name,
      args: params.arguments,
      caller: localClient(server.getClientVersion()?.name ?? 'unknown', signal),
      progress: progressToken === undefined ? undefined : progress,
    })
  })
  server.setRequestHandler(ListResourcesRequestSchema, ({ params }) => features.listResources(params?.cursor))
  server.setRequestHandler(ListResourceTemplatesRequestSchema, features.listResourceTemplates)
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => features.readResource(params.uri))
  server.setRequestHandler(ListPromptsRequestSchema, features.listPrompts)
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => features.getPrompt(params.name, params.arguments))
  server.setRequestHandler(CompleteRequestSchema, ({ params }) =>
    features.complete({ ...params.argument, vaultId: params.context?.arguments?.['vaultId'] }),
  )

  const tell = (uri: string) => {
    if (subscribed.has(uri)) void server.sendResourceUpdated({ uri }).catch(() => {})
  }
  server.setRequestHandler(SubscribeRequestSchema, async ({ params }) => {
    if (subscribed.size >= MAX_SUBSCRIPTIONS)
      throw new RpcFailure(rpcCodes.invalidParams, `A session follows at most ${MAX_SUBSCRIPTIONS} resources`)
    subscribed.add(params.uri)
    stop ??= updates.listen(tell)
    return {}
  })
  server.setRequestHandler(UnsubscribeRequestSchema, async ({ params }) => {
    subscribed.delete(params.uri)
    return {}
  })
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the server is no event target
  server.onclose = () => stop?.()
  return server
}
