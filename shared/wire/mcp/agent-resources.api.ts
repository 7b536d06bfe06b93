import { z } from 'zod'
import { text } from '../text.ts'
import { MAX_URI } from './resource-uri.ts'

/**
 * The control plane's requests to a daemon for an agent besides tool calls: files as resources, completion, and which
 * files changed. Each is a POST below `/api/agent`, admitted with an agent's request assertion alone.
 */

const ok = z.literal(true)

const Resource = z.object({
  uri: z.string(),
  name: z.string(),
  title: z.string().optional(),
  mimeType: z.string(),
  size: z.number(),
})
/**
 * The control plane says in the query that it takes cursors of up to `MAX_URI` characters: an older one refuses a page
 * whose cursor has more than 20, and an older daemon refuses a request with further fields.
 */
export const AgentResourcesQuery = z.object({ cursors: z.literal('long').optional() })
/** A cursor is opaque to everybody but the daemon that gave it. */
export const AgentResourcesRequest = z.strictObject({ cursor: text().max(MAX_URI).optional() })
export const AgentResources = z.object({
  ok,
  resources: z.array(Resource).max(1_000),
  nextCursor: z.string().max(MAX_URI).optional(),
})

export const AgentResourceRequest = z.strictObject({ uri: text().max(MAX_URI) })
const Content = z.object({ mimeType: z.string(), _meta: z.object({ baseline: z.string() }) })
export const AgentResource = z.object({
  ok,
  contents: z.array(z.union([Content.extend({ text: z.string() }), Content.extend({ blob: z.string() })])).max(1),
})

export const AgentCompletionRequest = z.strictObject({
  name: text().max(200),
  value: text().max(4_096),
  vaultId: text().max(255).optional(),
})
export const AgentCompletion = z.object({
  ok,
  values: z.array(z.string()).max(100),
  total: z.int().nonnegative(),
  hasMore: z.boolean(),
})

export const changeLimits = { waitMs: 5_000, paths: 1_000 } as const

/** Waits up to `waitMs` for a change of the vault after `since`. Without `since` it returns the current position. */
export const AgentChangesRequest = z.strictObject({
  vaultId: text().min(1).max(255),
  since: text().max(64).optional(),
  waitMs: z.int().min(0).max(changeLimits.waitMs).default(0),
})
/** `isComplete` is false if `paths` lacks changes: any file may have changed. */
export const AgentChanges = z.object({
  ok,
  at: z.string().max(64),
  paths: z.array(z.string()).max(changeLimits.paths),
  isComplete: z.boolean(),
})
