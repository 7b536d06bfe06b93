import { z } from 'zod'

/** A message of a client, or a batch of them, as far as the endpoint itself looks at it. */
export type Messages = { body: unknown; begins: boolean; cancels: (string | number)[]; listens: string[] | undefined }

const MAX_BATCH = 20
const Cancelled = z.looseObject({
  method: z.literal('notifications/cancelled'),
  params: z.looseObject({ requestId: z.union([z.string(), z.number()]) }),
})
const Listen = z.looseObject({
  method: z.literal('subscriptions/listen'),
  params: z.looseObject({
    notifications: z.looseObject({ resourceSubscriptions: z.array(z.string()).optional() }),
  }),
})

/** Why a text is no message, in the words of JSON-RPC. */
export type Unreadable = { code: number; message: string }

/** Reads a message. What it means is decided by the protocol's own server. Pure. */
export function readMessages(text: unknown): Messages | Unreadable {
  const body = parse(text)
  if (body === undefined) return { code: -32700, message: 'Parse error' }
  if (Array.isArray(body) && (body.length === 0 || body.length > MAX_BATCH))
    return { code: -32600, message: `A batch has 1 to ${MAX_BATCH} messages.` }
  const all = [body].flat() as unknown[]
  const listen = Listen.safeParse(body)
  return {
    body,
    begins: all.some((message) => (message as { method?: unknown } | null)?.method === 'initialize'),
    cancels: all.flatMap((message) => Cancelled.safeParse(message).data?.params.requestId ?? []),
    listens: listen.success ? (listen.data.params.notifications.resourceSubscriptions ?? []) : undefined,
  }
}

function parse(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}
