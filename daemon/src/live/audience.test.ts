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

test('a caret that waits to be sent moves with the updates that are sent before it', () => {
  const audience = new Audience()
  const told: Record<string, unknown>[] = []
  const join = (id: string) => {
    const participant = {
      id,
      clientId: `client-${id}`,
      actor: { kind: 'local' },
      send: (frame: Buffer) => void told.push(JSON.parse(frame.subarray(frame[1] === 126 ? 4 : 2).toString())),
      backlog: () => 0,
      isOpen: () => true,
      end: () => {},
    } as const
    audience.add(participant)
    return participant
  }
  const writer = join('a')
  vi.advanceTimersByTime(1000)
  told.length = 0
  audience.cursor(writer, { version: 7, anchor: 2, head: 4 })
  const insert = (at: number, text: string, length: number) => ChangeSet.of({ from: at, insert: text }, length)
  audience.updates(7, [
    { changes: insert(0, 'above ', 4), clientID: 'client-b' },
    { changes: insert(10, 'not theirs', 10), clientID: 'client-b' },
  ])
  audience.updates(9, [{ changes: insert(10, '!', 20), clientID: 'client-a' }])
  vi.advanceTimersByTime(1000)
  expect(told.map(({ type }) => type)).toEqual(['updates', 'cursor'])
  expect(told[1]).toMatchObject({ id: 'a', version: 10, anchor: 8, head: 11 })
  audience.end()
})

test('after an update that is too large to send all load the text again, and are told of each other as before', () => {
  const audience = new Audience()
  const join = (id: string) => {
    const participant = {
      id,
      clientId: `client-${id}`,
      actor: { kind: 'local' },
      send: vi.fn<(frame: Buffer) => void>(),
      backlog: () => 0,
      isOpen: () => true,
      end: vi.fn<(failure?: { code: string }) => void>(),
    } as const
    audience.add(participant)
    return participant
  }
  const first = join('one')
  audience.cursor(first, { version: 0, anchor: 1, head: 1 })
  const changes = ChangeSet.of({ from: 0, insert: '\n'.repeat(1_000_000) }, 0)
  audience.updates(0, [{ changes, clientID: '-' }])
  vi.advanceTimersByTime(1000)
  expect(first.end.mock.calls.map(([failure]) => failure?.code)).toEqual(['stale_doc'])
  expect(first.send).not.toHaveBeenCalled()

  const again = join('again')
  vi.advanceTimersByTime(1000)
  expect(again.send.mock.calls.map(([frame]) => /"type":"\w+"/.exec(frame.toString())![0])).toEqual(['"type":"people"'])
  audience.end()
})
