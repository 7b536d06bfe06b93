import { ChangeSet } from '@codemirror/state'
import { expect, test } from 'vitest'
import { composeAll } from './compose-all.ts'

test.each([1, 2, 3, 8, 13])('%i changes as one change the text as they do one after another', (count) => {
  const list: ChangeSet[] = []
  let text = 'some text'
  for (let nth = 0; nth < count; nth++) {
    const change = { from: (nth * 5) % text.length, to: Math.min(text.length, ((nth * 5) % text.length) + 2) }
    list.push(ChangeSet.of({ ...change, insert: `<${nth}>` }, text.length))
    text = `${text.slice(0, change.from)}<${nth}>${text.slice(change.to)}`
  }
  const all = composeAll(list)!
  const inTurn = list.reduce((one, other) => one.compose(other))
  expect(all.toJSON()).toEqual(inTurn.toJSON())
  expect(all.newLength).toBe(text.length)
})

test('no changes make none', () => {
  expect(composeAll([])).toBeUndefined()
})
