import { expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { Secret } from '@svc/shared/kit/secret.ts'
import { deriveAuditKey } from './audit-key.ts'
import type { AuditRepository } from './audit.repository.ts'
import { sealAudit } from './seal-audit.ts'
import { verifyAudit } from './verify-audit.ts'
import { emptyHead, rowHash, type AuditRow } from './verify-chain.ts'

const chain = 'org_aaaaaaaaaaaaaaaaaaaaaaaa'
const at = '2026-06-01T12:00:00.000Z'
const record = JSON.stringify({ at, event: 'test.happened', actor: { kind: 'system', id: 'terminal' } })
const rows: AuditRow[] = []
for (let seq = 1; seq <= 4_000; seq++) {
  const unhashed = { seq, previousHash: rows.at(-1)?.hash ?? emptyHead.hash, record }
  rows.push({ ...unhashed, hash: rowHash(chain, unhashed) })
}

/** A retention of one long chain. `onPage` is called for each page of it that is read. */
function retention(onPage: () => void) {
  const replaced: number[] = []
  const repository = {
    listChains: async () => [chain],
    listEndorsements: async () => [],
    listCheckpoints: async () => [],
    findRetention: async () => undefined,
    findLastBefore: async () => rows[2_999],
    listAfter: async (_chain: string, seq: number, limit: number) => {
      onPage()
      return rows.slice(seq, seq + limit)
    },
    replacePrefix: async (_chain: string, { seq }: { seq: number }) => (replaced.push(seq), seq),
  } as unknown as AuditRepository
  const key = deriveAuditKey(new Secret('the secret of this test'))
  const log = createLog({ service: 'test', level: 'silent' })
  const { retain } = sealAudit({ repository, key, clock: systemClock, log, verify: verifyAudit({ repository, key }) })
  return { retain: (signal?: AbortSignal) => retain(new Date(), signal), replaced }
}

test('a chain that verifies is shortened', async () => {
  const { retain, replaced } = retention(() => {})
  expect(await retain()).toBe(3_000)
  expect(replaced).toEqual([3_000])
})

test('when the process stops, the verification ends between two pages and nothing is removed', async () => {
  const stop = new AbortController()
  const reason = new Error('the process is stopping')
  let pages = 0
  const { retain, replaced } = retention(() => {
    pages += 1
    if (pages === 2) stop.abort(reason)
  })
  await expect(retain(stop.signal)).rejects.toBe(reason)
  expect(pages).toBe(2)
  expect(replaced).toEqual([])
})
