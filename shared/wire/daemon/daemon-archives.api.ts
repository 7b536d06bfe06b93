import { z } from 'zod'
import { VaultSummary } from './daemon.api.ts'
import { Slug } from '../ids.ts'
import { text } from '../text.ts'

/** What exporting and importing a vault needs; the rest of the daemon's API is in daemon.api.ts. */

/** A header of an export: how many files it leaves out, because an import would refuse their names. */
export const LEFT_OUT_HEADER = 'x-svc-left-out'

/** The body is a zip. Its hidden files are ignored, except `.svc/folders.yml`. */
export const ImportQuery = z.strictObject({ displayName: text().trim().min(1).max(200), slug: Slug })
export const VaultImported = z.object({
  ok: z.literal(true),
  vault: VaultSummary,
  files: z.number().int(),
  bytes: z.number().int(),
  skipped: z.object({ count: z.number().int(), names: z.array(z.string()) }),
})
