import type { AuditChain, AuditEntry, AuditFilter } from '@svc/shared/wire/audit.api.ts'
import type { AuditRepository } from './audit.repository.ts'
import { toAuditEntry } from './export-audit.ts'

type Search = AuditFilter & { chain: AuditChain; before: number; limit: number }
/** Sequence number below which the search continues; undefined at the end of the chain. */
export type AuditPage = { entries: AuditEntry[]; next: number | undefined }

const BATCH = 500
/** Maximum number of rows that one request reads; the next page continues there. */
const SCANNED_AT_MOST = 20_000

/** Finds entries of a chain, newest first. Rows are signed texts, so they are matched one by one rather than in SQL. */
export function createSearchAudit({ listBefore }: Pick<AuditRepository, 'listBefore'>) {
  return async ({ chain, before, limit, ...filter }: Search): Promise<AuditPage> => {
    const isFiltered = Object.values(filter).some((wanted) => wanted !== undefined)
    const batch = isFiltered ? Math.max(limit + 1, BATCH) : limit + 1
    const entries: AuditEntry[] = []
    let seq = before
    for (let scanned = 0; scanned < SCANNED_AT_MOST; scanned += batch) {
      const rows = await listBefore(chain, seq, batch)
      for (const row of rows) {
        const entry = toAuditEntry(row)
        if (!isMatch(entry, filter)) continue
        if (entries.length === limit) return { entries, next: seq }
        entries.push(entry)
        seq = row.seq
      }
      const last = rows.at(-1)
      if (last === undefined || rows.length < batch) return { entries, next: undefined }
      seq = last.seq
    }
    return { entries, next: seq }
  }
}

function isMatch({ record }: AuditEntry, { event, actor, from, to }: AuditFilter): boolean {
  if (event !== undefined && record.event !== event && !record.event.startsWith(`${event}.`) && record.action !== event)
    return false
  if (actor !== undefined && record.actor.id !== actor) return false
  const at = Date.parse(record.at)
  return (from === undefined || at >= Date.parse(from)) && (to === undefined || at < Date.parse(to))
}
