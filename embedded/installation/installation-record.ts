import { z } from 'zod'
import { databaseLayout, InstallationId, type DataLayout } from './places.ts'
import { readSmallFile, writeSmallFile } from './small-file.ts'

/** Kept in the data folder: which installation this is, and whether it has made a database of its own. */
const DataRecord = z.object({ format: z.literal(1), id: InstallationId, database: z.enum(['none', 'made']) })
export type DataRecord = z.infer<typeof DataRecord>

/** Kept beside the database: whose it is, the data folder that used it last, and where it was moved to. */
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
