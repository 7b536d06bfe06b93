import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { heldBytes } from '../../../../test/support/cpu-time.ts'
import { memoryDisk, quietSessions } from '../../../../test/support/live-model.ts'
import { openLiveSessions } from '../open-live-sessions.ts'
import { encodeInTurns } from './encode-in-turns.ts'
import type { MakeRecord } from './log-record.ts'
import type { LogFile } from './write-ahead-log.ts'

const NOTES = 40
const LENGTH = 500_000

/** The log of a process that was killed while so many notes were typed in. */
async function logOfTyped(): Promise<Buffer> {
  const records = Array.from({ length: NOTES }, (_, nth): MakeRecord => {
    const text = `${nth} words\n`.padEnd(LENGTH, `${nth} typed\n`)
    const session = { kind: 'session', epoch: `epoch-${nth}`, path: `${nth}.md`, version: 0 } as const
    return () => ({ ...session, text, file: { text: '', baseline: 'b' }, by: { kind: 'local' } })
  })
  return Buffer.concat(await Array.fromAsync(encodeInTurns(1, records)))
}

/** A log that is kept nowhere: it would take memory too. */
const nowhere: LogFile = {
  append: async () => {},
  replace: async (bytes) => void (await Array.fromAsync(bytes, () => undefined)),
  remove: async () => {},
  close: async () => {},
}

async function restart() {
  const { files } = memoryDisk('')
  return openLiveSessions({
    ...quietSessions(),
    files: { ...files, write: async ({ next }) => (await next({ path: '', text: '', baseline: 'b' }), 'saved') },
    file: nowhere,
    maxNoteBytes: 2 * LENGTH,
    logged: await logOfTyped(),
    lingerMs: 1,
  })
}

test('what was restored after a crash is not held in memory once its notes are saved and closed', async () => {
  const before = heldBytes()
  const sessions = await restart()
  onTestFinished(() => sessions.close())
  await sessions.restoreAll()
  while (sessions.all().length > 0) await setTimeout(10)
  await sessions.logged()
  // What is weakly held goes with a second collection.
  await expect.poll(() => heldBytes() - before, { timeout: 10_000 }).toBeLessThan((NOTES * LENGTH) / 4)
})
