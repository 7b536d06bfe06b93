import { expect, test } from 'vitest'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { tellReading } from './tell-reading.ts'

/** A clock whose sleeps return at once; `at` is called with the time after each. */
function steppedClock(at: (ms: number) => void): Clock {
  let now = 0
  return {
    now: () => new Date(now),
    monotonic: () => now,
    async sleep(ms, signal) {
      signal?.throwIfAborted()
      now += ms
      at(now)
    },
  }
}

function told() {
  const lines: string[] = []
  const info = (fields: { vault: string; files: number; seconds?: number }, message: string) =>
    lines.push([message, fields.vault, fields.files, fields.seconds].join(' ').trim())
  return { lines, log: { info } as unknown as Log }
}

const vault = (id: string, files: number, isIndexed: () => boolean) => ({
  id,
  listed: Promise.resolve(),
  isIndexed,
  manifest: { count: () => files },
})

test('a vault that is read at once is told once, a large one while it is read and at the end', async () => {
  let now = 0
  const { lines, log } = told()
  const clock = steppedClock((ms) => (now = ms))
  const vaults = [vault('small', 5, () => true), vault('large', 100_000, () => now >= 12_000)]
  await tellReading({ vaults, clock, log, signal: new AbortController().signal })
  expect(lines).toEqual([
    'vault open small 5',
    'vault open large 100000',
    'still reading notes; not all of them can be found yet large 100000 5',
    'still reading notes; not all of them can be found yet large 100000 10',
    'every note is read large 100000 12',
  ])
})

test('nothing more is told when the daemon stops', async () => {
  const { lines, log } = told()
  const stopping = new AbortController()
  const clock = steppedClock(() => stopping.abort())
  await tellReading({ vaults: [vault('large', 9, () => false)], clock, log, signal: stopping.signal })
  expect(lines).toEqual(['vault open large 9'])
})
