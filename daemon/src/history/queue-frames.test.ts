import { expect, test } from 'vitest'
import { frameOf, parseFrames, type QueueEntry } from './queue-frames.ts'

const entries: QueueEntry[] = [
  {
    kind: 'change',
    change: {
      id: 1,
      kind: 'created',
      path: 'é "1".md',
      bytes: Buffer.from([0xff, 0x00, 0x0a]),
      blob: 'b1',
      author: { id: 'usr_a', name: 'Ada\n' },
      atMs: 5,
    },
  },
  {
    kind: 'change',
    change: {
      id: 2,
      kind: 'deleted',
      path: 'b.md',
      bytes: undefined,
      deletion: 'd',
      author: { id: 'local', name: 'Local' },
      atMs: 6,
    },
  },
  { kind: 'batch', batch: 'x', ids: [1, 2] },
  {
    kind: 'change',
    change: { id: 3, kind: 'changed', path: 'c.md', bytes: Buffer.alloc(0), author: { id: 'x', name: 'X' }, atMs: 7 },
  },
]
const frames = entries.map(frameOf)
const file = Buffer.concat(frames)

test('entries are read back as they were written, an empty note too', () => {
  expect(parseFrames(file)).toEqual({ entries, wholeBytes: file.length })
})

test('a file that ends anywhere gives the entries that are whole', () => {
  for (let length = 0; length < file.length; length++) {
    const { entries: whole, wholeBytes } = parseFrames(file.subarray(0, length))
    expect(wholeBytes).toBeLessThanOrEqual(length)
    expect(whole).toEqual(entries.slice(0, whole.length))
    expect(wholeBytes).toBe(Buffer.concat(frames.slice(0, whole.length)).length)
  }
})

test('a byte that changed anywhere ends the file before its entry', () => {
  for (let at = 0; at < file.length; at++) {
    const damaged = Buffer.from(file)
    damaged[at] = damaged[at]! ^ 0x55
    const { entries: whole } = parseFrames(damaged)
    expect(whole).toEqual(entries.slice(0, whole.length))
    expect(whole.length).toBeLessThan(entries.length)
  }
})
