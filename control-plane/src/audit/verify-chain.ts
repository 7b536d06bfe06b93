import { createHash } from 'node:crypto'
import { AuditRecord, type AuditBreak } from '@svc/shared/wire/audit.api.ts'

/** A row of a chain as stored. */
export type AuditRow = { seq: number; record: string; previousHash: string; hash: string }

/** The head of a chain: number and hash of its newest row. */
export type AuditHead = { seq: number; hash: string }

/** The head of a chain that has no rows yet. */
export const emptyHead: AuditHead = { seq: 0, hash: '0'.repeat(64) }

/** A signed head, or the signed row that stands in for a removed prefix. */
export type SignedHead = AuditHead & { at: string; keyId: string; signature: string }

export type AuditProblem = Omit<AuditBreak, 'chain'>

/** The hash of a row, as the database computes it. */
export function rowHash(chain: string, { seq, previousHash, record }: Omit<AuditRow, 'hash'>): string {
  return createHash('sha256').update([chain, seq, previousHash, record].join('\n')).digest('hex')
}

/** The text that a checkpoint or retention row signs. */
export function signedText(
  kind: 'checkpoint' | 'retention',
  chain: string,
  { seq, hash, at }: AuditHead & { at: string },
): string {
  return ['svc-audit', kind, chain, seq, hash, at].join('\n')
}

/** The problem with a row that should follow `head`; undefined when the row is sound. Pure. */
export function problemOfRow(chain: string, head: AuditHead, row: AuditRow): AuditProblem | undefined {
  if (row.seq !== head.seq + 1) return { seq: head.seq + 1, problem: 'row_missing' }
  if (row.hash !== rowHash(chain, row)) return { seq: row.seq, problem: 'hash_differs' }
  if (row.previousHash !== head.hash) return { seq: row.seq, problem: 'link_differs' }
  return isRecord(row.record) ? undefined : { seq: row.seq, problem: 'record_not_valid' }
}

/** Whether rows are missing between a head and the rows that were read after it. Pure. */
export const startsAfterGap = (head: Pick<AuditHead, 'seq'>, [first]: readonly AuditRow[]): boolean =>
  first !== undefined && first.seq > head.seq + 1

/** What a signed checkpoint reveals about a chain: rewritten rows, or a cut tail. Pure. */
export function problemOfCheckpoint(
  checkpoint: AuditHead,
  found: AuditRow | undefined,
  head: AuditHead,
): AuditProblem | undefined {
  if (checkpoint.seq > head.seq) return { seq: head.seq + 1, problem: 'tail_cut' }
  if (found !== undefined && found.hash !== checkpoint.hash) return { seq: checkpoint.seq, problem: 'hash_differs' }
  return undefined
}

function isRecord(text: string): boolean {
  try {
    return AuditRecord.safeParse(JSON.parse(text)).success
  } catch {
    return false
  }
}
