import type { ColumnType } from 'kysely'

/** Append-only; number, link and hash are set by a trigger. */
export type AuditEntriesTable = {
  chain: string
  seq: ColumnType<number, undefined, never>
  /** Canonical JSON of an AuditRecord. */
  record: ColumnType<string, string, never>
  previous_hash: ColumnType<string, undefined, never>
  hash: ColumnType<string, undefined, never>
}

/** A signed head of a chain, which reveals a cut tail. */
export type AuditCheckpointsTable = {
  chain: string
  seq: number
  hash: string
  /** ISO 8601, as signed. */
  at: string
  key_id: string
  signature: string
}

/** A signed row that stands in for a prefix that retention removed. */
export type AuditRetentionsTable = {
  chain: string
  through_seq: number
  through_hash: string
  at: string
  key_id: string
  signature: string
}

/** The public key of an earlier secret, with the signature of the later key. */
export type AuditKeysTable = {
  key_id: string
  public_key: string
  endorsed_by: string
  signature: string
}

export type AuditTables = {
  audit_keys: AuditKeysTable
  audit_entries: AuditEntriesTable
  audit_checkpoints: AuditCheckpointsTable
  audit_retentions: AuditRetentionsTable
}
