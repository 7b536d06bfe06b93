import { z } from 'zod'

/** Version of the archive's layout; a file of a later one is refused. */
export const FORMAT = 1

/** First entry of an archive: what it is, before anything is unpacked. */
export const HEADER = 'backup.json'
/** Last entry: every file that belongs to the backup. An archive without it was cut off. */
export const CHECKSUMS = 'checksums.json'

/** Read before all else, so that a later version is recognized whatever else it holds. */
export const AnyHeader = z.looseObject({ product: z.literal('svc-platform'), format: z.number().int().positive() })

export const Header = z.object({
  product: z.literal('svc-platform'),
  format: z.literal(FORMAT),
  /** The installation that was backed up. A restored one gets an id of its own. */
  id: z.string(),
  createdAt: z.iso.datetime(),
  /** Files of a database fit the major version of Postgres and the kind of processor that wrote them. */
  postgres: z.string(),
  architecture: z.string(),
})
export type Header = z.infer<typeof Header>

export const ArchivedFile = z.object({
  name: z.string(),
  type: z.enum(['file', 'directory', 'symlink']),
  /** Of the bytes of a file; of the target of a link. */
  sha256: z.string(),
})
export type ArchivedFile = z.infer<typeof ArchivedFile>

export const Checksums = z.object({ files: z.array(ArchivedFile) })
export type Checksums = z.infer<typeof Checksums>

/** A file that is no backup, or a damaged one, or one that this version cannot read. */
export class UnusableBackup extends Error {
  constructor(file: string, why: string, cause?: unknown) {
    super(`${file} cannot be restored: ${why}. Nothing was changed`, { cause })
    this.name = 'UnusableBackup'
  }
}
