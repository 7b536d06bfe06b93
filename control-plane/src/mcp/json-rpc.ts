import { hasMoreValues, parseForeign } from '@svc/shared/wire/foreign-input.ts'
import { z } from 'zod'

/** A message of a client, or a batch of messages, with the parts that the endpoint itself uses. */
export type Messages = { body: unknown; begins: boolean; cancels: (string | number)[]; listens: string[] | undefined }

const MAX_BATCH = 20
/** Far more than any tool takes: a note is one value. */
const MAX_VALUES = 10_000
const Cancelled = z.looseObject({
  params: z.looseObject({ requestId: z.union([z.string(), z.number()]) }),
})
const Listen = z.looseObject({
  params: z.looseObject({
    notifications: z.looseObject({ resourceSubscriptions: z.array(z.string()).optional() }),
  }),
})

/** The JSON-RPC error for a text that is not a message. */
export type Unreadable = { code: number; message: string }

/** Parses a message. The protocol's own server decides what it means. Pure. */
export function readMessages(text: unknown): Messages | Unreadable {
  if (typeof text === 'string' && hasMoreValues(text, MAX_VALUES))
    return { code: -32600, message: `A message has at most ${MAX_VALUES} values.` }
  const body = parse(text)
  if (body === undefined) return { code: -32700, message: 'Parse error' }
  if (Array.isArray(body) && (body.length === 0 || body.length > MAX_BATCH))
    return { code: -32600, message: `A batch has 1 to ${MAX_BATCH} messages.` }
  const all = (Array.isArray(body) ? body : [body]) as unknown[]
  const listen = methodOf(body) === 'subscriptions/listen' ? parseForeign(Listen, body).data : undefined
  const cancels = all.filter((message) => methodOf(message) === 'notifications/cancelled')
  return {
    body,
    begins: all.some((message) => methodOf(message) === 'initialize'),
    cancels: cancels.flatMap((message) => parseForeign(Cancelled, message).data?.params.requestId ?? []),
    listens: listen && (listen.params.notifications.resourceSubscriptions ?? []),
  }
}

const methodOf = (message: unknown): unknown => (message as { method?: unknown } | null)?.method

function parse(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}
