import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { createEmptiedNotes, whenWritten } from './emptied-notes.ts'

const stampOf = (size: number) => ({ size, mtimeMs: 1, ctimeMs: 1, ino: 1 })
const [text, nothing] = [stampOf(5), stampOf(0)]

test('a file that has become empty is looked at again, and counts when it is still empty', async () => {
  const seen: boolean[] = []
  const recheck = vi.fn(async (path: string) => void seen.push(emptied.isBeingWritten(path, text, nothing)))
  const emptied = createEmptiedNotes(recheck, 30)
  // Several events of one file, and another file.
  expect(['a.md', 'a.md', 'b.md'].map((path) => emptied.isBeingWritten(path, text, nothing))).toEqual([
    true,
    true,
    true,
  ])
  await vi.waitFor(() => expect(seen).toEqual([false, false]))
  expect(recheck.mock.calls).toEqual([['a.md'], ['b.md']])
  // The next time it is emptied, it is waited for again.
  expect(emptied.isBeingWritten('a.md', text, nothing)).toBe(true)
  emptied.stop()
})

test('a file that was written meanwhile, or was empty before, is not waited for', async () => {
  const recheck = vi.fn(async () => {})
  const emptied = createEmptiedNotes(recheck, 30)
  expect(emptied.isBeingWritten('a.md', text, nothing)).toBe(true)
  expect(emptied.isBeingWritten('a.md', text, stampOf(7))).toBe(false)
  expect(emptied.isBeingWritten('b.md', nothing, nothing)).toBe(false)
  await sleep(60)
  expect(recheck).not.toHaveBeenCalled()
})

test('nothing is looked at after the end', async () => {
  const recheck = vi.fn(async () => {})
  const emptied = createEmptiedNotes(recheck, 10)
  emptied.isBeingWritten('a.md', text, nothing)
  emptied.stop()
  await sleep(30)
  expect(recheck).not.toHaveBeenCalled()
})

const fileOf = (content: string) => ({ bytes: Buffer.from(content) })

test('a file that is empty for a moment is read again, but only if it had a text', async () => {
  const states = ['', '', 'written']
  const read = vi.fn(async () => fileOf(states.length > 1 ? states.shift()! : states[0]!))
  expect(await whenWritten(read, () => text)).toEqual(fileOf('written'))
  expect(read).toHaveBeenCalledTimes(3)

  const readEmpty = vi.fn(async () => fileOf(''))
  expect(await whenWritten(readEmpty, () => nothing)).toEqual(fileOf(''))
  expect(await whenWritten(readEmpty, () => undefined)).toEqual(fileOf(''))
  expect(readEmpty).toHaveBeenCalledTimes(2)
})

test('a file that stays empty is returned as it is', async () => {
  expect(
    await whenWritten(
      async () => fileOf(''),
      () => text,
      60,
    ),
  ).toEqual(fileOf(''))
})
