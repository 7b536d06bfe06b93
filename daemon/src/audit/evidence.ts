import { z } from 'zod'

const FileIdentity = z.object({ ino: z.number(), size: z.number(), mtimeMs: z.number() })

/**
 * By what a vault shows that a change was made: what lies at a path below its root afterwards. Moving a file keeps its
 * identity, so the file that was to be placed is known again.
 */
export const Evidence = z.object({
  at: z.string(),
  is: z.union([z.literal('absent'), z.literal('folder'), FileIdentity]),
})
export type Evidence = z.infer<typeof Evidence>

/** The evidence that a file lies at a path. */
export const placedAt = (at: string, { ino, size, mtimeMs }: z.infer<typeof FileIdentity>): Evidence => ({
  at,
  is: { ino, size, mtimeMs },
})
