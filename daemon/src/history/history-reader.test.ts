import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { queryObjects } from 'node:v8'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openCommitted } from './history-reader.ts'
import type { NoteHistory } from './note-history.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-history-reader-'))
})
afterEach(async () => {
  vi.useRealTimers()
  await rm(folder, { recursive: true })
})

/** Reads with a program in the place of git. */
async function readBy(script: string): Promise<string> {
  await writeFile(join(folder, 'git'), `#!/bin/sh\n${script}\n`)
  await chmod(join(folder, 'git'), 0o755)
  const history = { gitDir: folder, isReadable: () => true } as NoteHistory
  const read = await openCommitted({ searchPath: folder })(history)
  return read!(['log'])
}

test('output that comes after git has exited is part of it', async () => {
  expect(await readBy('(/bin/sleep 0.5; echo end) & echo begin')).toBe('begin\nend\n')
})

test('large output is whole', async () => {
  const lines = 400_000
  const output = await readBy(`/usr/bin/env PATH=/usr/bin:/bin seq -f '%.0f of many lines' ${lines}`)
  expect(output.split('\n').length).toBe(lines + 1)
  expect(output.endsWith(`${lines} of many lines\n`)).toBe(true)
})

test('a git that prints nothing is over when it has ended', async () => {
  // Nothing advances these timers, so whoever waits for one waits forever.
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  expect(await readBy('exit 0')).toBe('')
})

test('a git that fails is told with what it said', async () => {
  await expect(readBy('echo "fatal: no such note" >&2; exit 128')).rejects.toThrow('no such note')
})

test('calls leave nothing in memory', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  const calls = async (count: number) => {
    for (let call = 0; call < count; call++) await readBy('echo 1')
    vi.advanceTimersByTime(60_000)
    await setImmediate()
    return queryObjects(Promise, { format: 'count' })
  }
  const before = await calls(5)
  expect(await calls(50)).toBeLessThan(before + 25)
})
