import pino from 'pino'
import { expect, test, vi } from 'vitest'
import { Manifest } from '../../watch/manifest.ts'
import { beginReading } from './first-reading.ts'
import { forgetfulMemory } from '../../../../test/support/forgetful-memory.ts'

const log = pino({ level: 'silent' })
const stamp = { ino: 1, size: 1, mtimeMs: 1, ctimeMs: 1 }

/** A vault of some notes whose reads and listing the test decides. */
function reading(names: readonly string[], read: (path: string) => Promise<boolean>, start = async () => {}) {
  const manifest = new Manifest()
  for (const path of names) manifest.putFile({ path, stamp, facts: undefined })
  const closing = new AbortController()
  const [caughtUp, unreadChanged] = [vi.fn(), vi.fn()]
  const watch = { start, unreadable: () => [], unread: () => [], away: () => [] }
  const { signal } = closing
  const begun = beginReading({
    manifest,
    memory: forgetfulMemory,
    watch,
    read,
    view: { caughtUp, unreadChanged },
    signal,
    log,
    delayMs: () => 1,
  })
  return { begun, closing, caughtUp, unreadChanged }
}

test('a file that fails once keeps no other file from being read, and is read again', async () => {
  const reads: string[] = []
  let isBroken = true
  const { begun, caughtUp, unreadChanged } = reading(['a.md', 'b.md', 'c.md'], async (path) => {
    reads.push(path)
    if (path === 'a.md' && isBroken) throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })
    return true
  })
  await vi.waitFor(() => expect(begun.isIndexed()).toBe(true))
  expect(begun.unread()).toEqual(['a.md'])
  expect(new Set(reads)).toEqual(new Set(['a.md', 'b.md', 'c.md']))
  expect(caughtUp).toHaveBeenCalledTimes(1)
  await vi.waitFor(() => expect(unreadChanged).toHaveBeenCalledTimes(1))

  isBroken = false
  await begun.ended
  expect(begun.unread()).toEqual([])
  // The comparison with the history was without that file.
  expect(caughtUp).toHaveBeenCalledTimes(2)
  expect(unreadChanged).toHaveBeenCalledTimes(2)
})

test('a file that cannot be read for long is tried until the vault is closed', async () => {
  let reads = 0
  const { begun, closing, caughtUp } = reading(['a.md'], async () => {
    reads++
    return false
  })
  await vi.waitFor(() => expect(reads).toBeGreaterThan(3))
  expect(caughtUp).toHaveBeenCalledTimes(1)
  expect([begun.isIndexed(), begun.unread()]).toEqual([true, ['a.md']])
  closing.abort(new Error('closing'))
  await begun.ended
})
