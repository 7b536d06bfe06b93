import { AuditRecord, type AuditChain } from '@svc/shared/wire/audit.api.ts'
import { readAuditVerifier, trustedVerifier, type AuditKey, type Endorsement } from './audit-key.ts'
import type { AuditRepository } from './audit.repository.ts'
import {
  emptyHead,
  problemOfRow,
  signedText,
  startsAfterGap,
  type AuditHead,
  type AuditProblem,
  type AuditRow,
  type SignedHead,
} from './verify-chain.ts'

type Deps = {
  repository: AuditRepository
  key: Pick<AuditKey, 'publicKey'>
  signExported: (chain: AuditChain) => Promise<SignedHead | undefined>
}
type Line =
  | {
      kind: 'header'
      format: 1
      chain: AuditChain
      publicKey: string
      /** Earlier keys that this one has signed. */
      keys?: Endorsement[]
      retention?: SignedHead
    }
  | ({ kind: 'entry' } & AuditRow)
  | ({ kind: 'checkpoint' } & SignedHead)

const PAGE = 1_000

/**
 * One chain as lines of JSON: a header, the rows, and a signed head that reveals a cut tail. When retention removes rows
 * meanwhile, another header follows, whose signed row stands in for them.
 */
export function exportAudit({ repository, key, signExported }: Deps) {
  const headerOf = async (chain: AuditChain, retention: SignedHead | undefined) => {
    const keys = await repository.listEndorsements()
    return line({ kind: 'header', format: 1, chain, publicKey: key.publicKey, keys, retention })
  }

  return async function* (chain: AuditChain): AsyncGenerator<string> {
    const retention = await repository.findRetention(chain)
    yield await headerOf(chain, retention)

    let head = await signExported(chain)
    let seq = retention?.seq ?? 0
    while (head !== undefined && seq < head.seq) {
      const rows = await repository.listAfter(chain, seq, PAGE)
      const newer = startsAfterGap({ seq }, rows) ? await repository.findRetention(chain) : undefined
      if (newer !== undefined && newer.seq > seq) {
        yield await headerOf(chain, newer)
        seq = newer.seq
        head = await signExported(chain)
        continue
      }
      // Rows appended after the head was signed belong to the next export.
      for (const row of rows) if (row.seq <= head.seq) yield line({ kind: 'entry', ...row })
      seq = rows.at(-1)?.seq ?? head.seq
    }
    if (head) yield line({ kind: 'checkpoint', ...head })
  }
}

const line = (value: Line): string => `${JSON.stringify(value)}\n`

export type ExportVerification = { chain: AuditChain; entries: number; keyId: string; broken?: AuditProblem }

/** Verifies an export offline, by itself. Trusts `publicKey`; without one, the key that the export names. */
export async function verifyExport(lines: AsyncIterable<string>, publicKey?: string): Promise<ExportVerification> {
  let header: (Line & { kind: 'header' }) | undefined
  let head: AuditHead = emptyHead
  let entries = 0
  let sealed = false

  for await (const text of lines) {
    if (text.trim() === '') continue
    const item = JSON.parse(text) as Line
    if (item.kind === 'header') {
      const { chain, retention } = item
      const verifier = readAuditVerifier(publicKey ?? (header ?? item).publicKey)
      // A further header skips rows that retention removed during the export, and nothing else.
      if (header !== undefined && (chain !== header.chain || retention === undefined || retention.seq <= head.seq))
        return { chain: header.chain, entries, keyId: verifier.id, broken: missingAfter(head) }
      header ??= item
      head = retention ?? emptyHead
      if (retention === undefined) continue
      const trusted = trustedVerifier(verifier, item.keys ?? [])
      if (!trusted.verify({ text: signedText('retention', chain, retention), ...retention }))
        return { chain, entries, keyId: verifier.id, broken: { seq: retention.seq, problem: 'signature_differs' } }
      continue
    }
    if (header === undefined) throw new Error('the export does not begin with a header')
    const verifier = readAuditVerifier(publicKey ?? header.publicKey)
    const result = { chain: header.chain, entries, keyId: verifier.id }
    if (item.kind === 'entry') {
      const broken = problemOfRow(header.chain, head, item)
      if (broken) return { ...result, broken }
      head = item
      entries++
      continue
    }
    const signed = { text: signedText('checkpoint', header.chain, item), keyId: item.keyId, signature: item.signature }
    if (!verifier.verify(signed)) return { ...result, broken: { seq: item.seq, problem: 'signature_differs' } }
    if (item.seq !== head.seq) return { ...result, broken: { seq: head.seq + 1, problem: 'tail_cut' } }
    if (item.hash !== head.hash) return { ...result, broken: { seq: item.seq, problem: 'hash_differs' } }
    sealed = true
  }
  if (header === undefined) throw new Error('the export is empty')
  const result = { chain: header.chain, entries, keyId: readAuditVerifier(publicKey ?? header.publicKey).id }
  if (!sealed && entries > 0) return { ...result, broken: { seq: head.seq + 1, problem: 'tail_cut' } }
  return result
}

const missingAfter = ({ seq }: AuditHead): AuditProblem => ({ seq: seq + 1, problem: 'row_missing' })

/** A stored row in the form of the API. */
export function toAuditEntry({ seq, hash, record }: AuditRow) {
  return { seq, hash, record: AuditRecord.parse(JSON.parse(record)) }
}
