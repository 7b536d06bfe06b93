import { ChangeSet } from '@codemirror/state'
import { expect, test } from 'vitest'
import { randomOf } from '../../../../test/support/random-of.ts'
import { rebaseOverAll } from '../../edits/rebase-over.ts'
import { rebaseWithin } from './rebase-within.ts'

/** Consecutive changes, each of which replaces `places` characters of a text. */
const updates = ({
  count,
  places,
  length,
  insert = 'x',
}: Record<'count' | 'places' | 'length', number> & { insert?: string }) => {
  const list: ChangeSet[] = []
  for (let nth = 0, now = length; nth < count; nth++) {
    const gap = Math.floor(now / places)
    const specs = Array.from({ length: places }, (_, at) => ({ from: at * gap, to: at * gap + 1, insert }))
    list.push(ChangeSet.of(specs, now))
    now = list.at(-1)!.newLength
  }
  return list
}
const by = (client: string, list: readonly ChangeSet[]) => list.map((changes) => ({ client, changes }))

test('has the result of rebasing in unlimited time', () => {
  const random = randomOf(7)
  const some = (from: number) => {
    const list: ChangeSet[] = []
    for (let nth = 0, length = from; nth < 6; nth++) {
      const at = random(length)
      list.push(ChangeSet.of({ from: at, to: Math.min(length, at + random(4)), insert: 'y'.repeat(random(3)) }, length))
      length = list.at(-1)!.newLength
    }
    return list
  }
  for (let round = 0; round < 100; round++) {
    const mine = some(20)
    const [own, ...theirs] = [mine[0]!, ...some(mine[0]!.newLength)]
    const others = [...by('ada', [own]), ...by(round % 2 === 0 ? 'abc' : 'bob', theirs)]
    const client = { client: 'ada', changes: mine }
    expect(rebaseWithin(client, others)).toEqual(rebaseOverAll(client, others))
  }
})

test('rebases what people type over what others have typed', () => {
  const typed = { places: 1, length: 1000 }
  const mine = { client: 'ada', changes: updates({ ...typed, count: 100 }) }
  expect(rebaseWithin(mine, by('bob', updates({ ...typed, count: 200 })))).toHaveLength(100)
})

test.each([
  ['updates', { count: 200, places: 1 }, { count: 101, places: 1 }],
  ['sections', { count: 20, places: 190 }, { count: 20, places: 2000 }],
])('refuses to rebase over too many %s', (_, mine, others) => {
  const [changes, over] = [mine, others].map((of) => updates({ ...of, length: 10_000 }))
  const rebase = () => rebaseWithin({ client: 'ada', changes: changes! }, by('bob', over!))
  expect(rebase).toThrow(expect.objectContaining({ code: 'stale_doc' }))
})

test('refuses changes that fall into too many pieces', () => {
  const length = 40_000
  const all = ChangeSet.of({ from: 0, to: length }, length)
  const inserts = updates({ count: 5, places: 2000, length })
  const rebase = () => rebaseWithin({ client: 'ada', changes: [all] }, by('bob', inserts))
  expect(rebase).not.toThrow()
  const more = Array.from({ length: 9000 }, (_, at) => ({ from: at * 4 + 2, insert: 'x' }))
  expect(() => rebaseWithin({ client: 'ada', changes: [all] }, by('bob', [ChangeSet.of(more, length)]))).toThrow(
    expect.objectContaining({ code: 'stale_doc' }),
  )
})
