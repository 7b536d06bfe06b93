import { z } from 'zod'

/**
 * What the operator may know of a managed daemon: nothing of its content. Answered at `/status` of the status listener
 * (bearer token of the same Secret), or over IPC to the parent in the embedded mode.
 */
export const DaemonStatus = z.object({
  version: z.string(),
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
  storage: z.object({ usedBytes: z.number().int().min(0), freeBytes: z.number().int().min(0) }),
  durableAsOf: z.iso.datetime(),
})
export type DaemonStatus = z.infer<typeof DaemonStatus>

/** Messages between the embedded reconciler and a child: a question, its answer, and flush before stop. */
export type ParentMessage = { type: 'status'; id: number } | { type: 'stop' }
export type ChildMessage = { type: 'status'; id: number; status: DaemonStatus }

/** The relay key as mounted: a directory with `token` (the key) and `generation` (decimal), replaced atomically. */
export const relayKeyFiles = { token: 'token', generation: 'generation' } as const
