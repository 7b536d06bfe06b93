import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { expect, test } from 'vitest'
import { cpuMsOf } from '../../../test/support/cpu-time.ts'
import { STALL_MS } from '../../../test/support/fuzz.ts'
import { memoryDisk } from '../../../test/support/live-model.ts'
import { slowness } from '../../../test/support/machine-speed.ts'
import { OpenTexts } from './document/open-texts.ts'
import { openLiveSessions } from './open-live-sessions.ts'

const by = { kind: 'local' } as const
const PAIRS = 333_333

test('reads and saves of a note that mixes a million line ends hold nobody up', async () => {
  const file = '\n\r\n'.repeat(PAIRS)
  const disk = memoryDisk(file)
  const sessions = await openLiveSessions({
    files: disk.files,
    file: disk.file,
    logged: Buffer.alloc(0),
    texts: new OpenTexts(),
    maxNoteBytes: 10_000_000,
    writeBehind: { idleMs: 60_000, atMostMs: 60_000 },
    lingerMs: 60_000,
    clock: systemClock,
    logger: createLog({ service: 'test', level: 'fatal' }),
  })
  const session = await sessions.open('note.md', by)
  const length = file.length - PAIRS
  const type = (seq: number) =>
    session.push({ version: seq - 1, clientID: 'c', seq, updates: [[1, [0, 'x'], length + seq - 2]], by })

  let longest = Number.POSITIVE_INFINITY
  for (let seq = 1; seq <= 3 && longest >= STALL_MS; seq++) {
    await type(seq)
    // Another string each time, as every request reads the file anew.
    const read = Buffer.from(file).toString()
    longest = Math.min(longest, (await cpuMsOf(() => session.unsavedText(read))) / slowness())
    expect(session.unsavedText(read)).toBe(`\n${'x'.repeat(seq)}\r\n${file.slice(3)}`)
    expect(session.unsavedLines(read).length).toBeGreaterThan(1)
  }
  expect(longest).toBeLessThan(STALL_MS)
  await sessions.close()
  expect(disk.state.note.replaceAll('x', '')).toBe(file)
})
