import { z } from 'zod'
import { ErrorBody } from '@svc/shared/wire/error-body.ts'
import type { Documented } from '../http/openapi.ts'

const version = z.literal('2.0')
const message = z.looseObject({ jsonrpc: version })
/** A failure of the protocol, or of our own limits, which have the same body as on other routes. */
const failure = z.union([
  z.looseObject({ jsonrpc: version, error: z.looseObject({ code: z.number(), message: z.string() }) }),
  ErrorBody,
])

/** The MCP endpoint, by method and path: Streamable HTTP, with a bearer token. */
export const mcpDocuments: Record<string, Documented> = {
  'POST /mcp': {
    body: z.looseObject({ jsonrpc: version, method: z.string(), id: z.union([z.number(), z.string()]).optional() }),
    response: {
      200: { content: { 'application/json': { schema: message }, 'text/event-stream': { schema: z.string() } } },
      202: z.null().describe('A notification was taken.'),
      default: failure,
    },
  },
  'GET /mcp': {
    response: {
      200: { content: { 'text/event-stream': { schema: z.string().describe('Changes that the session follows.') } } },
      405: failure,
      default: failure,
    },
  },
  'DELETE /mcp': { response: { 204: z.null().describe('The session ended.'), default: failure } },
}
