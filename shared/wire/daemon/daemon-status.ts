import { z } from 'zod'
import { text } from '../text.ts'

/**
 * What the operator may know about a managed daemon: nothing of its content. Served at `/status` of the status listener
 * (bearer token of the same Secret), or over IPC to the parent in the embedded mode.
 */
export const DaemonStatus = z.object({
  version: text(),
  ready: z.boolean(),
  relay: z.object({
    connected: z.boolean(),
    keyGeneration: z
      .number()
      .int()
      .min(0)
      .optional()
      .describe('Generation of the key that the tunnel was opened with.'),
  }),
  storage: z.object({
    usedBytes: z.number().int().min(0),
    freeBytes: z.number().int().min(0).describe('Bytes that may still be stored, without the reserve of the volume.'),
  }),
  durableAsOf: z.iso.datetime(),
})
export type DaemonStatus = z.infer<typeof DaemonStatus>

/** Response of `POST /flush` at the status listener: everything acknowledged before is durable as of that time. */
export const FlushAnswer = z.object({ durableAsOf: z.iso.datetime() })
export type FlushAnswer = z.infer<typeof FlushAnswer>

/**
 * Messages of the embedded reconciler to a child. `stop` asks it to flush and exit; `id` comes back in the response.
 */
export type ParentMessage = { type: 'status'; id: number } | { type: 'flush'; id: number } | { type: 'stop' }

/** Responses of a child. `flush-failed` carries no content: the child's log has the cause. */
export const ChildMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('status'), id: z.number().int(), status: DaemonStatus }),
  z.object({ type: z.literal('flushed'), id: z.number().int(), durableAsOf: z.iso.datetime() }),
  z.object({ type: z.literal('flush-failed'), id: z.number().int() }),
])
export type ChildMessage = z.infer<typeof ChildMessage>

/** The relay key as mounted: a directory with `token` (the key) and `generation` (decimal), replaced atomically. */
export const relayKeyFiles = { token: 'token', generation: 'generation' } as const

/** File beside the relay key, in Kubernetes alone: the bearer token of the status listener's `/status` and `/flush`. */
export const PROBE_TOKEN_FILE = 'probe-token'
