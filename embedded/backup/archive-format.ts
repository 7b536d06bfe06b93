import { z } from 'zod'

/** Version of the archive's layout; a file of a later version is refused. */
export const FORMAT = 1

/** First entry of an archive: its description, read before anything is unpacked. */
export const HEADER = 'backup.json'
/** Last entry: every file of the backup. An archive without it was cut off. */
export const CHECKSUMS = 'checksums.json'

/** Read before everything else, so that a later version is recognized whatever else it contains. */
export const AnyHeader = z.looseObject({ product: z.literal('svc-platform'), format: z.number().int().positive() })

export const Header = z.object({
  product: z.literal('svc-platform'),
  format: z.literal(FORMAT),
  /** The installation that was backed up. A restored one gets an id of its own. */
  id: z.string(),
  createdAt: z.iso.datetime(),
  /**
   * Files of a database only work with the major version of Postgres and the processor architecture that wrote them.
   */
  postgres: z.string(),
  architecture: z.string(),
})
export type Header = z.infer<typeof Header>

export const ArchivedFile = z.object({
  name: z.string(),
  type: z.enum(['file', 'directory', 'symlink']),
  /** Hash of the bytes of a file, or of the target of a link. */
  sha256: z.string(),
})
export type ArchivedFile = z.infer<typeof ArchivedFile>

export const Checksums = z.object({ files: z.array(ArchivedFile) })
export type Checksums = z.infer<typeof Checksums>

/** A file that is no backup, is damaged, or cannot be read by this version. */
export class UnusableBackup extends Error {
  constructor(file: string, why: string, cause?: unknown) {
    super(`${file} cannot be restored: ${why}. Nothing was changed`, { cause })
    this.name = 'UnusableBackup'
  }
}
