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

export const TrashParams = VaultParams.extend({ trashId: z.string().regex(/^[0-9a-z-]{1,64}$/) })
export const TrashList = z.object({ ok, entries: z.array(TrashEntry) })
export const RestoreRequest = z.strictObject({ path: text().optional() }).default({})
export const TrashRestored = z.object({
  ok,
  path: z.string(),
  baseline: z.string().optional().describe('The baseline of a note; other files and folders have none here.'),
})
export const TrashEmptied = z.object({ ok, id: z.string() })
