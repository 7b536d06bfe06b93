import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

const Packed = z.object({
  file: z.string().regex(/^[a-z][\w.-]*\.tgz$/),
  version: z.string(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().positive(),
})
const Index = z.object({ daemon: Packed, chart: Packed })

/** A public file. Its name starts with its hash, so its content never changes. */
export type PackedFile = z.output<typeof Packed>

/** The packed downloads in a folder; undefined when there are none. */
export function findDownloads(root: string): z.output<typeof Index> | undefined {
  const index = join(root, 'index.json')
  return existsSync(index) ? Index.parse(JSON.parse(readFileSync(index, 'utf8'))) : undefined
}
