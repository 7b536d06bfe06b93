import { chmod, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { verifies } from '../../../../test/requirements.ts'
import { longestTurnMs } from '../../../../test/support/longest-turn.ts'
import { STALL_MS } from '../../../../test/support/fuzz.ts'
import { slowness } from '../../../../test/support/machine-speed.ts'
import { removeFolder } from '../../../../test/support/remove-folder.ts'
import { gitRecords } from './git-records.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-git-records-'))
})
afterEach(() => removeFolder(folder))

/** Reads records from a program in the place of git. */
async function readBy(script: string, options: { maxBytes?: number; visit?(record: string): 'stop' | void } = {}) {
  await writeFile(join(folder, 'git'), `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`)
  await chmod(join(folder, 'git'), 0o755)
  const records: string[] = []
  const { isCut } = await gitRecords({
    gitDir: folder,
    searchPath: folder,
    args: ['log'],
    visit(record) {
      records.push(record)
      return options.visit?.(record)
    },
    ...(options.maxBytes !== undefined && { maxBytes: options.maxBytes }),
  })
  return { records, isCut }
}

test('records are whole wherever the output is torn', async () => {
  const script = "printf 'on'; sleep 0.2; printf 'e\\036\\303'; sleep 0.2; printf '\\274\\036three'"
  expect(await readBy(script)).toEqual({ records: ['one', 'ü', 'three'], isCut: false })
})

test('a log without an end is read up to the limit', async () => {
  verifies('untrusted.off-loop')
  const endless = "while :; do printf 'record\\036'; done"
  const { records, isCut } = await readBy(endless, { maxBytes: 70_000 })
  expect(isCut).toBe(true)
  expect(records.length).toBeLessThanOrEqual(10_000)
  expect(new Set(records)).toEqual(new Set(['record']))
})

test('a reader that has enough ends git', async () => {
  const endless = "while :; do printf 'record\\036'; done"
  let seen = 0
  const { records, isCut } = await readBy(endless, { visit: () => (++seen === 3 ? 'stop' : undefined) })
  expect({ count: records.length, isCut }).toEqual({ count: 3, isCut: false })
})

test('a git that fails is told with what it said', async () => {
  await expect(readBy('echo "fatal: no such note" >&2; exit 128')).rejects.toThrow('no such note')
})

test('a long log does not hold the event loop', { timeout: 120_000 }, async () => {
  verifies('untrusted.off-loop')
  // 28 MB in records of 280 KB, each of which is split into lines as a message is.
  const script =
    "line=$(printf '%0140d' 0); yes $line | head -n 2000 > r; for i in $(seq 100); do cat r; printf '\\036'; done"
  const visit = (record: string) => void record.split('\n').map((line) => line.trim())
  let longest = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 3 && longest >= STALL_MS; attempt++) {
    const ms = await longestTurnMs(() => readBy(`cd ${folder}; ${script}`, { visit }))
    longest = Math.min(longest, ms / slowness())
  }
  expect(longest).toBeLessThan(STALL_MS)
})
