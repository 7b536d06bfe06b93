import { z } from 'zod'
import { VaultSummary } from './daemon.api.ts'
import { Slug } from '../ids.ts'
import { text } from '../text.ts'

/** Request and response schemas of importing a vault; the rest of the daemon's API is in daemon.api.ts. */

/** The body is a zip. Its hidden files are ignored, except `.svc/folders.yml`. */
export const ImportQuery = z.strictObject({ displayName: text().trim().min(1).max(200), slug: Slug })
export const VaultImported = z.object({
  ok: z.literal(true),
  vault: VaultSummary,
  files: z.number().int(),
  bytes: z.number().int(),
  skipped: z.object({ count: z.number().int(), names: z.array(z.string()) }),
})
