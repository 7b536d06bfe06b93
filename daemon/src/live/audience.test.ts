import { ChangeSet } from '@codemirror/state'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Audience } from './audience.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** An audience, and the versions that each message to the first participant began with. */
function audienceOf(size: number) {
  const audience = new Audience()
  const heard: number[] = []
  for (let nth = 0; nth < size; nth++)
    audience.add({
      id: `p${nth}`,
      clientId: `client-${nth}`,
      actor: { kind: 'local' },
      send(frame) {
        const { type, version } = JSON.parse(frame.subarray(frame[1] === 126 ? 4 : 2).toString()) as Record<
          string,
          unknown
        >
        if (nth === 0 && type === 'updates') heard.push(version as number)
      },
      backlog: () => 0,
      isOpen: () => true,
      end: () => {},
    })
  const change = ChangeSet.of({ from: 0, insert: 'x' }, 0)
  const update = (version: number) => audience.updates(version, [{ changes: change, clientID: 'client-0' }])
  return { audience, heard, update }
}

test('the first update goes out at once; in a large audience those of a short pause after it share a message', () => {
  const { audience, heard, update } = audienceOf(50)
  update(0)
  vi.advanceTimersByTime(0)
  expect(heard).toEqual([0])
  for (const version of [1, 2, 3]) {
    update(version)
    vi.advanceTimersByTime(1)
  }
  expect(heard).toEqual([0])
  vi.advanceTimersByTime(7)
  expect(heard).toEqual([0, 1])
  vi.advanceTimersByTime(1000)
  update(4)
  vi.advanceTimersByTime(0)
  expect(heard).toEqual([0, 1, 4])
  audience.end()
})

test('nothing waits in a small audience', () => {
  const { audience, heard, update } = audienceOf(3)
  for (const version of [0, 1, 2]) {
    update(version)
    vi.advanceTimersByTime(0)
  }
  expect(heard).toEqual([0, 1, 2])
  audience.end()
})

test('a message that must come after the updates takes them along', () => {
  const { audience, heard, update } = audienceOf(50)
  update(0)
  vi.advanceTimersByTime(0)
  update(1)
  audience.tell({ type: 'moved', path: 'b.md' })
  expect(heard).toEqual([0, 1])
  audience.end()
})
