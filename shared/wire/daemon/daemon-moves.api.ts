import { z } from 'zod'
import { text } from '../text.ts'

/** Request and response schemas of moving files within a vault; the rest of the daemon's API is in daemon.api.ts. */

export const MoveRequest = z.strictObject({
  from: text().min(1).max(4096).describe('Path of a note, an attachment or a folder.'),
  to: text().min(1).max(4096).describe('Its path afterwards, where nothing may lie yet.'),
  dryRun: z.boolean().default(false).describe('Tell what would change, and change nothing.'),
  rewriteLinks: z.boolean().default(true).describe('Rewrite the links that would break or mean another file.'),
})

/**
 * A note in which links are rewritten, by its path after the move. Only the first changes are listed, the others
 * counted.
 */
export const MovedNote = z.object({
  path: z.string(),
  baseline: z.string(),
  links: z.number().int(),
  changes: z.array(z.object({ line: z.number().int(), before: z.string(), after: z.string() })),
})
export type MovedNote = z.infer<typeof MovedNote>

/** What a move has done, or would do: how many files it moves, and in which notes links are rewritten. */
export const Moved = z.object({
  from: z.string(),
  to: z.string(),
  kind: z.enum(['note', 'attachment', 'folder']),
  dryRun: z.boolean(),
  files: z.number().int(),
  notesTotal: z.number().int(),
  linksTotal: z.number().int(),
  notes: z.array(MovedNote),
})
export type Moved = z.infer<typeof Moved>

export const MoveResult = Moved.extend({ ok: z.literal(true) })
