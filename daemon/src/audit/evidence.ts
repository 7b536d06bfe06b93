import { z } from 'zod'

const FileIdentity = z.object({ ino: z.number(), size: z.number(), mtimeMs: z.number() })

/**
 * How the vault shows that a change was made: by what is at a path afterwards. Moving a file keeps its inode, so the
 * placed file can be recognized.
 */
export const Evidence = z.object({
  at: z.string(),
  is: z.union([z.literal('absent'), z.literal('folder'), FileIdentity]),
})
export type Evidence = z.infer<typeof Evidence>

/** The evidence that a certain file is at a path. */
export const placedAt = (at: string, { ino, size, mtimeMs }: z.infer<typeof FileIdentity>): Evidence => ({
  at,
  is: { ino, size, mtimeMs },
})
