import type { AuditBreak, AuditChain } from '@svc/shared/wire/audit.api.ts'
import { trustedVerifier, type AuditKey } from './audit-key.ts'
import type { AuditRepository } from './audit.repository.ts'
import { createFindInSlices } from './find-in-slices.ts'
import {
  emptyHead,
  problemOfCheckpoint,
  problemOfRow,
  signedText,
  startsAfterGap,
  type AuditHead,
  type AuditProblem,
  type AuditRow,
  type SignedHead,
} from './verify-chain.ts'

type Reads = 'listChains' | 'listAfter' | 'listCheckpoints' | 'listEndorsements' | 'findRetention'
type Deps = { repository: Pick<AuditRepository, Reads>; key: Omit<AuditKey, 'sign'> }
export type Verification = { chains: number; entries: number; checkpoints: number; broken: AuditBreak[] }
/** A checkpoint kept elsewhere (log, export): it reveals a cut tail even where the database lost its own. */
export type KeptCheckpoint = SignedHead & { chain: AuditChain }
/** The signal ends it between two pages, by an error. */
type Options = { kept?: KeptCheckpoint[] | undefined; signal?: AbortSignal | undefined }
type One = { kept: SignedHead[]; by: Pick<AuditKey, 'verify'>; signal: AbortSignal | undefined }

const PAGE = 1_000
// Each takes about 10 ms: a signature 0.2 ms, a row 0.03 ms.
const SIGNATURES_AT_ONCE = 50
const ROWS_AT_ONCE = 250

/**
 * Recomputes whole chains and names the first broken row of each. Reads in pages and verifies in slices, because chains
 * may be long.
 */
export function verifyAudit({ repository, key }: Deps) {
  const findInSlices = createFindInSlices()

  const verifyOne = async (chain: AuditChain, { kept, by, signal }: One) => {
    const isSigned = (kind: 'checkpoint' | 'retention', head: SignedHead) =>
      by.verify({ text: signedText(kind, chain, head), keyId: head.keyId, signature: head.signature })
    const retention = await repository.findRetention(chain)
    const stored = await repository.listCheckpoints(chain)
    const checkpoints = [...stored, ...kept].toSorted((a, b) => a.seq - b.seq)
    const unsigned = await findInSlices(checkpoints, SIGNATURES_AT_ONCE, (checkpoint) =>
      isSigned('checkpoint', checkpoint) ? undefined : checkpoint,
    )
    const problems: AuditProblem[] = []
    if (unsigned) problems.push({ seq: unsigned.seq, problem: 'signature_differs' })
    if (retention && !isSigned('retention', retention))
      problems.push({ seq: retention.seq, problem: 'signature_differs' })

    let head: AuditHead = retention ?? emptyHead
    let entries = 0
    const signedRows = new Map<number, AuditRow>()
    const wanted = new Set(checkpoints.map(({ seq }) => seq))

    for (;;) {
      signal?.throwIfAborted()
      const rows = await repository.listAfter(chain, head.seq, PAGE)
      if (startsAfterGap(head, rows)) {
        // Retention may have removed the missing rows meanwhile. Its signed row then stands in for them.
        const newer = await repository.findRetention(chain)
        if (newer !== undefined && newer.seq > head.seq && isSigned('retention', newer)) {
          head = newer
          continue
        }
      }
      const broken = await findInSlices(rows, ROWS_AT_ONCE, (row) => {
        const problem = problemOfRow(chain, head, row)
        if (problem) return problem
        if (wanted.has(row.seq)) signedRows.set(row.seq, row)
        head = row
        entries++
        return undefined
      })
      if (broken) {
        problems.push(broken)
        break
      }
      if (rows.length < PAGE) {
        for (const checkpoint of checkpoints) {
          const problem = problemOfCheckpoint(checkpoint, signedRows.get(checkpoint.seq), head)
          if (problem) problems.push(problem)
        }
        break
      }
    }
    return { entries, checkpoints: checkpoints.length, first: problems.toSorted((a, b) => a.seq - b.seq)[0] }
  }

  return async (only?: AuditChain, { kept = [], signal }: Options = {}): Promise<Verification> => {
    const chains = only === undefined ? await repository.listChains() : [only]
    const by = trustedVerifier(key, await repository.listEndorsements())
    const result: Verification = { chains: chains.length, entries: 0, checkpoints: 0, broken: [] }
    for (const chain of chains) {
      const keptOfIt = kept.filter((checkpoint) => checkpoint.chain === chain)
      const found = await verifyOne(chain, { kept: keptOfIt, by, signal })
      result.entries += found.entries
      result.checkpoints += found.checkpoints
      if (found.first) result.broken.push({ chain, ...found.first })
    }
    return result
  }
}
