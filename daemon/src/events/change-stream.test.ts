import { expect, test } from 'vitest'
import { createChangeStream } from './change-stream.ts'

const change = (path: string) => ({ kind: 'changed', what: 'note', path, origin: 'api' }) as const

test('tells what was missed, and says when it does not know', () => {
  const stream = createChangeStream()
  const seen: string[] = []
  stream.publish(change('a'))
  const first = stream.lastId()
  const stop = stream.subscribe(({ change: { path } }) => seen.push(path))
  stream.publish(change('b'))
  stop()
  stream.publish(change('c'))

  expect(seen).toEqual(['b'])
  expect(stream.since(first)?.map(({ change: { path } }) => path)).toEqual(['b', 'c'])
  expect(stream.since(stream.lastId())).toEqual([])
  expect(stream.since('other-1')).toBeUndefined()
  expect(stream.since('nonsense')).toBeUndefined()
  for (let count = 0; count < 1000; count++) stream.publish(change('d'))
  expect(stream.since(first)).toBeUndefined()
})
