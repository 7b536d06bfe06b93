import { z } from 'zod'
import { text } from '../text.ts'

/** Request and response schemas of the links of a vault; the rest of the daemon's API is in daemon.api.ts. */

const ok = z.literal(true)
const partial = z.boolean().describe('True when the deadline came before everything was looked at.')
const cursor = z
  .string()
  .regex(/^\d{1,9}$/, 'is not a cursor of this list')
  .optional()
const page = (most: number, usual: number) =>
  z.object({ limit: z.coerce.number().int().min(1).max(most).default(usual), cursor })

/** The syntax of a link; `reference` is the definition that reference links name. */
const LinkKind = z.enum(['wiki', 'markdown', 'reference'])
export const LinkProblem = z.enum(['no_file', 'no_heading', 'no_block'])
export type LinkProblem = z.infer<typeof LinkProblem>

/** One link of a note. `path` is the target file; without one, or with a `problem`, the link is broken. */
export const OutgoingLink = z.object({
  kind: LinkKind,
  embed: z.boolean(),
  inProperty: z.boolean(),
  line: z.number().int(),
  target: z.string(),
  fragment: z.string().optional(),
  path: z.string().optional(),
  problem: LinkProblem.optional(),
})
export type OutgoingLink = z.infer<typeof OutgoingLink>

const LineOfNote = z.object({ line: z.number().int(), text: z.string() })
const Referrer = z.object({ path: z.string(), title: z.string(), lines: z.array(LineOfNote) })
export type Referrer = z.infer<typeof Referrer>

/** `mentions`: also look for notes that name this one without a link; they come with the first page. */
export const LinksQuery = page(200, 50).extend({ mentions: z.enum(['true', 'false']).default('true') })
export const NoteLinks = z.object({
  ok,
  path: z.string(),
  outgoing: z.array(OutgoingLink),
  backlinks: z.array(Referrer),
  backlinksTotal: z.number().int(),
  mentions: z.array(Referrer),
  partial,
  nextCursor: z.string().optional(),
})

export const ReportQuery = page(500, 100)
export const LinkReport = z.object({
  ok,
  counts: z.object({ broken: z.number().int(), orphans: z.number().int() }),
  broken: z.array(OutgoingLink.extend({ from: z.string(), problem: LinkProblem })),
  orphans: z.array(z.object({ path: z.string(), kind: z.enum(['note', 'attachment']) })),
  partial,
  nextCursor: z.string().optional(),
})

export const TagsQuery = page(5000, 1000)
export const TagCounts = z.object({
  ok,
  tags: z.array(z.object({ tag: z.string(), count: z.number().int() })),
  properties: z.array(z.object({ name: z.string(), count: z.number().int() })),
  partial,
  nextCursor: z.string().optional(),
})

/**
 * With `path`: the files within `depth` links of it, in either direction. Without it: the notes of the vault in pages.
 */
export const GraphQuery = page(1000, 500).extend({
  path: text().min(1).max(4096).optional(),
  depth: z.coerce.number().int().min(1).max(5).default(1),
})
export const LinkGraph = z.object({
  ok,
  nodes: z.array(z.object({ path: z.string(), kind: z.enum(['note', 'attachment']), title: z.string().optional() })),
  edges: z.array(z.object({ from: z.string(), to: z.string() })),
  partial,
  nextCursor: z.string().optional(),
})
