import { z } from 'zod'
import { parseForeign, smallRecord } from '../foreign-input.ts'
import { MAX_FOLLOWED_URI, MAX_URI } from './resource-uri.ts'
import { RpcFailure, rpcCodes } from './rpc-failure.ts'

const Meta = z.looseObject({ progressToken: z.union([z.string(), z.int()]).optional() })
const Page = z.object({ cursor: z.string().optional() })
const Address = z.object({ uri: z.string().max(MAX_URI) })
const Followed = z.object({ uri: z.string().max(MAX_FOLLOWED_URI) })

/** The requests that our endpoints serve, by method, with the schema of their parameters. */
const requests = {
  'tools/list': Page,
  'tools/call': z.object({
    name: z.string(),
    arguments: smallRecord(z.unknown()).optional(),
    _meta: Meta.optional(),
  }),
  'resources/list': Page,
  'resources/templates/list': Page,
  'resources/read': Address,
  'resources/subscribe': Followed,
  'resources/unsubscribe': Followed,
  'prompts/list': Page,
  'prompts/get': z.object({ name: z.string(), arguments: smallRecord(z.string()).optional() }),
  'completion/complete': z.object({
    ref: z.looseObject({ type: z.string() }),
    argument: z.object({ name: z.string(), value: z.string() }),
    context: z.object({ arguments: smallRecord(z.string()).optional() }).optional(),
  }),
}

type Requests = typeof requests
type RpcMethod = keyof Requests
type RpcResult = Record<string, unknown>
type Request = { method: string; params?: unknown }

/** What an endpoint does for each method; the context is what it knows of the request besides its parameters. */
export type RpcHandlers<Context> = {
  [Method in RpcMethod]: (params: z.output<Requests[Method]>, context: Context) => RpcResult | Promise<RpcResult>
}

/** Serves requests with these handlers, once their parameters are checked. Fails as the protocol does. */
export const createDispatch =
  <Context>(handlers: RpcHandlers<Context>) =>
  async ({ method, params = {} }: Request, context: Context): Promise<RpcResult> => {
    if (!isServed(method)) throw new RpcFailure(rpcCodes.methodNotFound, 'Method not found')
    const parsed = parseForeign(requests[method], params)
    if (!parsed.success) throw new RpcFailure(rpcCodes.invalidParams, `Invalid params: ${problemIn(parsed.error)}`)
    const handle = handlers[method] as (checked: unknown, context: Context) => RpcResult | Promise<RpcResult>
    return handle(parsed.data, context)
  }

const isServed = (method: string): method is RpcMethod => Object.hasOwn(requests, method)

const problemIn = ({ issues: [first] }: z.ZodError): string =>
  `${['params', ...(first?.path ?? [])].join('.')} ${first?.message}`.slice(0, 200)
