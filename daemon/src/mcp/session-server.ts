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
  type Result,
} from '@modelcontextprotocol/sdk/types.js'
import { noElicitation } from '@svc/shared/wire/mcp/no-elicitation.ts'
import { RpcFailure, rpcCodes } from '@svc/shared/wire/mcp/rpc-failure.ts'
import type { z } from 'zod'
import { INSTRUCTIONS, serverInfo, type Features } from './features.ts'
import type { ResourceUpdates } from './resource-updates.ts'
import { localClient } from './tool-caller.ts'

type Deps = { features: Features; updates: ResourceUpdates; version: string }

const MAX_SUBSCRIPTIONS = 100

type RequestSchema = z.ZodObject<{ method: z.ZodLiteral<string> }>
type Fallback = NonNullable<Server['fallbackRequestHandler']>
type Extra = Parameters<Fallback>[1]
type Handler<Schema extends RequestSchema> = (request: z.output<Schema>, extra: Extra) => Result | Promise<Result>

const problemIn = ({ issues: [first] }: z.ZodError): string =>
  `${first?.path.join('.')} ${first?.message}`.slice(0, 200)

/**
 * The features for one session of the protocol versions with sessions (2025-03-26 to 2025-11-25). Each session has its
 * own server: sharing one between clients would mix their answers.
 */
export function sessionServer({ features, updates, version }: Deps): Server {
  const capabilities = { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {} }
  const server = new Server(serverInfo(version), {
    capabilities,
    instructions: INSTRUCTIONS,
    jsonSchemaValidator: noElicitation,
  })
  const subscribed = new Set<string>()
  let stop: (() => void) | undefined

  const handlers = new Map<string, Fallback>()
  const handle = <Schema extends RequestSchema>(schema: Schema, handler: Handler<Schema>) =>
    handlers.set(schema.shape.method.value, async (request, extra) => {
      const parsed = schema.safeParse(request)
      if (!parsed.success) throw new RpcFailure(rpcCodes.invalidParams, `Invalid params: ${problemIn(parsed.error)}`)
      return handler(parsed.data as z.output<Schema>, extra)
    })
  // Handlers that the SDK knows parse each call three times and its result once more, and report invalid parameters as
  // internal errors with the text of a validator.
  server.fallbackRequestHandler = (request, extra) => {
    const handler = handlers.get(request.method)
    if (!handler) throw new RpcFailure(rpcCodes.methodNotFound, 'Method not found')
    return handler(request, extra)
  }

  handle(ListToolsRequestSchema, features.listTools)
  handle(CallToolRequestSchema, async ({ params }, { _meta, signal, sendNotification }) => {
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
  handle(ListResourcesRequestSchema, ({ params }) => features.listResources(params?.cursor))
  handle(ListResourceTemplatesRequestSchema, features.listResourceTemplates)
  handle(ReadResourceRequestSchema, ({ params }) => features.readResource(params.uri))
  handle(ListPromptsRequestSchema, features.listPrompts)
  handle(GetPromptRequestSchema, ({ params }) => features.getPrompt(params.name, params.arguments))
  handle(CompleteRequestSchema, ({ params }) =>
    features.complete({ ...params.argument, vaultId: params.context?.arguments?.['vaultId'] }),
  )

  const tell = (uri: string) => {
    if (subscribed.has(uri)) void server.sendResourceUpdated({ uri }).catch(() => {})
  }
  handle(SubscribeRequestSchema, async ({ params }) => {
    if (subscribed.size >= MAX_SUBSCRIPTIONS)
      throw new RpcFailure(rpcCodes.invalidParams, `A session follows at most ${MAX_SUBSCRIPTIONS} resources`)
    subscribed.add(params.uri)
    stop ??= updates.listen(tell)
    return {}
  })
  handle(UnsubscribeRequestSchema, async ({ params }) => {
    subscribed.delete(params.uri)
    return {}
  })
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the server is no event target
  server.onclose = () => stop?.()
  return server
}
