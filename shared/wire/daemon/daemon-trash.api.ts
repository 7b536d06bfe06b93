import { z } from 'zod'
import { text } from '../text.ts'
import { VaultParams } from './daemon.api.ts'

/** Request and response schemas of the trash of a vault; the rest of the daemon's API is in daemon.api.ts. */

const ok = z.literal(true)

/** A removed file that can be restored. `id` names it in the routes of the trash. */
export const TrashEntry = z.object({
  id: z.string(),
  path: z.string(),
  kind: z.enum(['note', 'attachment', 'folder']),
  size: z.number().int(),
  deletedAt: z.string(),
  deletedBy: z.string(),
  /** The name of the person who deleted it; absent in entries of older versions. */
  deletedByName: z.string().optional(),
  person: z.object({ id: z.string(), name: z.string() }).optional().describe('For whom an agent deleted it.'),
})
export type TrashEntry = z.infer<typeof TrashEntry>

const TrashId = z.string().regex(/^[0-9a-z-]{1,64}$/)

export const TrashParams = VaultParams.extend({ trashId: TrashId })
export const TrashQuery = z.object({
  limit: z.coerce.number().int().min(1).max(1000).default(200),
  cursor: TrashId.optional().describe('`nextCursor` of the page before.'),
})
export type TrashQuery = z.infer<typeof TrashQuery>
/** A page of the trash, the last deleted first. */
export const TrashList = z.object({ ok, entries: z.array(TrashEntry), nextCursor: TrashId.optional() })
/** True for names that an entry of the trash can have. */
export const isTrashId = (name: string): boolean => TrashId.safeParse(name).success
export const RestoreRequest = z.strictObject({ path: text().optional() }).default({})
export const TrashRestored = z.object({
  ok,
  path: z.string(),
  baseline: z.string().optional().describe('The baseline of a note; other files and folders have none here.'),
})
export const TrashEmptied = z.object({ ok, id: z.string() })
