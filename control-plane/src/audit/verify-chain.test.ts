import { expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { emptyHead, problemOfCheckpoint, problemOfRow, rowHash, type AuditRow } from './verify-chain.ts'

const chain = 'platform'
const record = JSON.stringify({
  at: '2026-06-01T12:00:00.000Z',
  event: 'operation.succeeded',
  actor: { kind: 'user', id: 'usr_aaaaaaaaaaaaaaaaaaaaaaaa' },
})
const row = (seq: number, previousHash: string, text = record): AuditRow => {
  const unhashed = { seq, previousHash, record: text }
  return { ...unhashed, hash: rowHash(chain, unhashed) }
}
const first = row(1, emptyHead.hash)
const second = row(2, first.hash)

test.each<[string, AuditRow, object | undefined]>([
  ['a row that follows the head is sound', second, undefined],
  [
    'a row whose text was changed',
    { ...second, record: record.replace('succeeded', 'failed') },
    { seq: 2, problem: 'hash_differs' },
  ],
  [
    'a row that was changed and hashed again breaks no own hash, but its successor',
    row(2, emptyHead.hash),
    { seq: 2, problem: 'link_differs' },
  ],
  ['a row after a gap', row(3, first.hash), { seq: 2, problem: 'row_missing' }],
  ['a row of another chain', { ...second, hash: rowHash('org', second) }, { seq: 2, problem: 'hash_differs' }],
  ['a row that is no record', row(2, first.hash, '{"event":"x"}'), { seq: 2, problem: 'record_not_valid' }],
  ['a row that is no JSON', row(2, first.hash, '{'), { seq: 2, problem: 'record_not_valid' }],
])('%s', (_name, found, problem) => {
  verifies('security.audit-chain')
  expect(problemOfRow(chain, first, found)).toEqual(problem)
})

test.each<[string, { seq: number; hash: string }, AuditRow | undefined, object | undefined]>([
  ['a checkpoint of the chain as it is shows nothing', second, second, undefined],
  [
    'a checkpoint beyond the head shows that a tail was cut',
    { seq: 3, hash: 'x' },
    undefined,
    { seq: 3, problem: 'tail_cut' },
  ],
  [
    'a checkpoint of another row shows that rows were rewritten',
    { seq: 2, hash: 'x' },
    second,
    { seq: 2, problem: 'hash_differs' },
  ],
  ['a checkpoint of a row that retention removed shows nothing', first, undefined, undefined],
])('%s', (_name, checkpoint, found, problem) => expect(problemOfCheckpoint(checkpoint, found, second)).toEqual(problem))
