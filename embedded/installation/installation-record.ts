import { z } from 'zod'
import { databaseLayout, InstallationId, type DataLayout } from './places.ts'
import { readSmallFile, writeSmallFile } from './small-file.ts'

/** Stored in the data folder: the installation's id, and whether its own database was created. */
const DataRecord = z.object({ format: z.literal(1), id: InstallationId, database: z.enum(['none', 'made']) })
export type DataRecord = z.infer<typeof DataRecord>

/** Stored beside the database: its owner, the data folder that last used it, and where it was moved to. */
const DatabaseRecord = z.object({
  format: z.literal(1),
  id: InstallationId,
  dataDir: z.string(),
  movedTo: z.string().optional(),
})
export type DatabaseRecord = z.infer<typeof DatabaseRecord>

export const readDataRecord = (layout: DataLayout) => readSmallFile(layout.record, DataRecord)

export const writeDataRecord = (layout: DataLayout, record: Omit<DataRecord, 'format'>) =>
  writeSmallFile(layout.record, { format: 1, ...record })

export const readDatabaseRecord = (folder: string) => readSmallFile(databaseLayout(folder).record, DatabaseRecord)

export const writeDatabaseRecord = (folder: string, record: Omit<DatabaseRecord, 'format'>) =>
  writeSmallFile(databaseLayout(folder).record, { format: 1, ...record })
