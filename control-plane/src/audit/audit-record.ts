import { AuditRecord } from '@svc/shared/wire/audit.api.ts'
import { canonicalJson } from './canonical-json.ts'

/** The text of an audit row: canonical JSON of a record that the schema knows; anything else is a bug and throws. */
export function auditRecordText(record: AuditRecord): string {
  return canonicalJson(AuditRecord.parse(record))
}
