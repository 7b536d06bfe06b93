import { expect, test } from 'vitest'
import { Secret } from '@svc/shared/kit/secret.ts'
import { verifies } from '../../../test/requirements.ts'
import { STALL_MS } from '../../../test/support/fuzz.ts'
import { leastLongestTurnMs } from '../../../test/support/longest-turn.ts'
import { deriveAuditKey } from './audit-key.ts'
import { verifyAudit } from './verify-audit.ts'
import { emptyHead, rowHash, signedText, type AuditRow, type SignedHead } from './verify-chain.ts'

const chain = 'org_aaaaaaaaaaaaaaaaaaaaaaaa'
const key = deriveAuditKey(new Secret('the secret of this test'))
const at = '2026-06-01T12:00:00.000Z'
const record = JSON.stringify({ at, event: 'test.happened', actor: { kind: 'system', id: 'terminal' } })
/** Half a year of signed heads, one an hour. */
const CHECKPOINTS = 4_000

const rows: AuditRow[] = []
const checkpoints: SignedHead[] = []
for (let seq = 1; seq <= CHECKPOINTS; seq++) {
  const unhashed = { seq, previousHash: rows.at(-1)?.hash ?? emptyHead.hash, record }
  const row = { ...unhashed, hash: rowHash(chain, unhashed) }
  rows.push(row)
  const signature = key.sign(signedText('checkpoint', chain, { ...row, at }))
  checkpoints.push({ seq, hash: row.hash, at, keyId: key.id, signature })
}

const verifier = (stored: SignedHead[]) =>
  verifyAudit({
    key,
    repository: {
      listChains: async () => [chain],
      listEndorsements: async () => [],
      findRetention: async () => undefined,
      listCheckpoints: async () => stored,
      listAfter: async (_chain, seq, limit) => rows.slice(seq, seq + limit),
    },
  })

test('many rows and signatures are verified without holding the event loop', async () => {
  verifies('security.audit-off-loop')
  const verify = verifier(checkpoints)
  expect(await verify(chain)).toMatchObject({ entries: CHECKPOINTS, checkpoints: CHECKPOINTS, broken: [] })
  expect(await leastLongestTurnMs(() => verify(chain))).toBeLessThan(STALL_MS)
})

test('many verifications at once hold it no longer than one', async () => {
  const verify = verifier(checkpoints.slice(0, 400))
  const many = () => Promise.all(Array.from({ length: 12 }, () => verify(chain)))
  expect(await leastLongestTurnMs(many)).toBeLessThan(STALL_MS)
})

test.each([1, 51, 120])('a signature of another head at checkpoint %i of 120 is found', async (seq) => {
  verifies('security.audit-checkpoints')
  const { signature } = checkpoints[seq]!
  const stored = checkpoints.slice(0, 120).with(seq - 1, { ...checkpoints[seq - 1]!, signature })
  expect((await verifier(stored)(chain)).broken).toEqual([{ chain, seq, problem: 'signature_differs' }])
})
