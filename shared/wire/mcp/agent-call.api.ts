import { z } from 'zod'
import { smallRecord } from '../foreign-input.ts'
import { jsonValue, text } from '../text.ts'

/**
 * A tool call that the control plane forwards to a daemon: `POST /api/agent/call`, admitted with an agent's request
 * assertion alone. Failures are the error body of every route.
 */
export const AgentCallRequest = z.strictObject({
  tool: text().min(1).max(64),
  arguments: z.record(text(), jsonValue()).default({}),
})

const TextContent = z.object({ type: z.literal('text'), text: z.string() })
const ImageContent = z.object({ type: z.literal('image'), data: z.string(), mimeType: z.string() })
const ResourceContent = z.object({
  type: z.literal('resource'),
  resource: z.object({ uri: z.string(), mimeType: z.string(), blob: z.string() }),
})
/** What a model reads besides the structured result. */
export const ToolContent = z.discriminatedUnion('type', [TextContent, ImageContent, ResourceContent])
export type ToolContent = z.infer<typeof ToolContent>

/** `result` follows the output schema of the tool; `content` is for the model and holds the same result as text. */
export const AgentCallAnswer = z.object({
  ok: z.literal(true),
  result: smallRecord(z.unknown()),
  content: z.array(ToolContent).max(1_000),
})
