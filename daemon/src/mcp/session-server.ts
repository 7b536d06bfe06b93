import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { noElicitation } from '@svc/shared/wire/mcp/no-elicitation.ts'
import { RpcFailure, rpcCodes } from '@svc/shared/wire/mcp/rpc-failure.ts'
import { createDispatch, type RpcHandlers } from '@svc/shared/wire/mcp/rpc-requests.ts'
import { INSTRUCTIONS, serverInfo, type Features } from './features.ts'
import type { Follower, ResourceUpdates } from './resource-updates.ts'
import { localClient } from './tool-caller.ts'

type Deps = { features: Features; updates: ResourceUpdates; version: string }

const MAX_SUBSCRIPTIONS = 100

type Extra = Parameters<NonNullable<Server['fallbackRequestHandler']>>[1]

/**
 * The features for one session of the protocol versions with sessions (2025-03-26 to 2025-11-25). Each session has its
 * own server: sharing one between clients would mix their responses.
 */
export function sessionServer({ features, updates, version }: Deps): Server {
  const capabilities = { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {} }
  const server = new Server(serverInfo(version), {
    capabilities,
    instructions: INSTRUCTIONS,
    jsonSchemaValidator: noElicitation,
  })
  const subscribed = new Set<string>()
  let follower: Follower | undefined
  const tell = (uri: string) => void server.sendResourceUpdated({ uri }).catch(() => {})

  const handlers: RpcHandlers<Extra> = {
    'tools/list': features.listTools,
    'tools/call': ({ name, arguments: args }, { _meta, signal, sendNotification }) => {
      const progressToken = _meta?.progressToken
      const progress = (seconds: number) =>
        void sendNotification({
          method: 'notifications/progress',
          params: { progressToken: progressToken!, progress: seconds, message: `running for ${seconds} s` },
        }).catch(() => {})
      return features.callTool({
        name,
        args,
        caller: localClient(server.getClientVersion()?.name ?? 'unknown', signal),
        progress: progressToken === undefined ? undefined : progress,
      })
    },
    'resources/list': ({ cursor }) => features.listResources(cursor),
    'resources/templates/list': features.listResourceTemplates,
    'resources/read': ({ uri }) => features.readResource(uri),
    'resources/subscribe': ({ uri }) => {
      if (subscribed.has(uri)) return {}
      if (subscribed.size >= MAX_SUBSCRIPTIONS)
        throw new RpcFailure(rpcCodes.invalidParams, `A session follows at most ${MAX_SUBSCRIPTIONS} resources`)
      subscribed.add(uri)
      follower ??= updates.follower(tell)
      follower.follow(uri)
      return {}
    },
    'resources/unsubscribe': ({ uri }) => {
      if (subscribed.delete(uri)) follower?.unfollow(uri)
      return {}
    },
    'prompts/list': features.listPrompts,
    'prompts/get': ({ name, arguments: args }) => features.getPrompt(name, args),
    'completion/complete': ({ argument, context }) =>
      features.complete({ ...argument, vaultId: context?.arguments?.['vaultId'] }),
  }
  // Handlers registered by the SDK's own schemas would parse each call three times and its result once more, and would
  // report invalid parameters as internal errors with the text of a validator.
  server.fallbackRequestHandler = createDispatch(handlers)
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the server is no event target
  server.onclose = () => follower?.close()
  return server
}
