import { expect, test } from 'vitest'
import type { DaemonClient, TrashEntry } from '../api/daemon-client.ts'
import { loadDeleted } from './load-deleted.ts'

const signal = new AbortController().signal
const entryOf = (number: number): TrashEntry => ({
  id: String(number).padStart(5, '0'),
  path: `${number}.md`,
  kind: 'note',
  size: 1,
  deletedAt: '2026-01-01T00:00:00Z',
  deletedBy: 'owner',
})

/** A trash with that many entries, of which every tenth cannot be read any more. */
function trashOf(size: number) {
  const asked: number[] = []
  const listTrash: DaemonClient['listTrash'] = async (_vaultId, { limit, cursor }) => {
    asked.push(limit)
    const from = cursor === undefined ? 0 : Number(cursor) + 1
    const numbers = Array.from({ length: Math.min(limit, size - from) }, (_, index) => from + index)
    const entries = numbers.filter((number) => number % 10 !== 9).map(entryOf)
    return { ok: true, entries, ...(from + limit < size && { nextCursor: entryOf(from + limit - 1).id }) }
  }
  return { listTrash, asked }
}

test('as many are loaded as are shown, page by page, without a gap', async () => {
  const { listTrash, asked } = trashOf(3_000)
  const { entries, hasMore } = await loadDeleted({ listTrash }, 'v', { count: 1_200, signal })
  expect(entries).toHaveLength(1_200)
  expect(entries.map(({ id }) => id)).toEqual(
    Array.from({ length: 1_400 }, (_, number) => number)
      .filter((number) => number % 10 !== 9)
      .slice(0, 1_200)
      .map((number) => entryOf(number).id),
  )
  expect(hasMore).toBe(true)
  expect(asked[0]).toBe(1_000)
})

test('a trash that is read to its end has no more', async () => {
  const { listTrash } = trashOf(30)
  const { entries, hasMore } = await loadDeleted({ listTrash }, 'v', { count: 200, signal })
  expect([entries.length, hasMore]).toEqual([27, false])
  expect(await loadDeleted(trashOf(0), 'v', { count: 200, signal })).toEqual({ entries: [], hasMore: false })
})
