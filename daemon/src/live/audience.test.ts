import { ChangeSet } from '@codemirror/state'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Audience } from './audience.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** An audience, and the versions on which the messages to the first participant build. */
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

test('updates that become durable together share a message', () => {
  const { audience, heard, update } = audienceOf(3)
  for (const version of [0, 1, 2]) update(version)
  vi.advanceTimersByTime(0)
  expect(heard).toEqual([0])
  update(3)
  vi.advanceTimersByTime(0)
  expect(heard).toEqual([0, 3])
  audience.end()
})

test('updates may wait for one another in a large audience, and in a small one never', () => {
  expect([3, 50, 200].map((size) => audienceOf(size).audience.longestWaitMs)).toEqual([0, 6, 24])
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
