import { AuditRecord } from '@svc/shared/wire/audit.api.ts'

/** A value that JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined }

/** JSON with sorted keys and without absent members: equal values give equal bytes. Pure. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map((item: Json) => canonicalJson(item)).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)

  const members = Object.entries(value)
    .filter((member): member is [string, Json] => member[1] !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`)
  return `{${members.join(',')}}`
}

/**
 * The text of an audit row: canonical JSON of a record that matches the schema. Throws for anything else, which is a
 * bug.
 */
export function auditRecordText(record: AuditRecord): string {
  return canonicalJson(AuditRecord.parse(record))
}
