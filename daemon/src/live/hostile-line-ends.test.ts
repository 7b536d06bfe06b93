import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import type { ServiceError } from '@svc/shared/wire/errors.ts'
import { expect, test, vi } from 'vitest'
import { cpuMsOf } from '../../../test/support/cpu-time.ts'
import { STALL_MS } from '../../../test/support/fuzz.ts'
import { memoryDisk } from '../../../test/support/live-model.ts'
import { longestTurnMs } from '../../../test/support/longest-turn.ts'
import { slowness } from '../../../test/support/machine-speed.ts'
import { toEditorText } from '../edits/editor-text.ts'
import { baselineOf } from '../files/baseline.ts'
import { OpenTexts } from './document/open-texts.ts'
import { openLiveSessions } from './open-live-sessions.ts'
import { outsideWho } from './participant.ts'

const by = { kind: 'local' } as const
const PAIRS = 333_333
// A record of the log is parsed at once, and a start reads several.
const START_STALL_MS = 2 * STALL_MS
// A collection of garbage or a lack of free memory may stretch a few turns; the cost of the code is in all of them.
const ATTEMPTS = 6
const PATIENT = { timeout: 120_000 }

const opened = (disk: ReturnType<typeof memoryDisk>) =>
  openLiveSessions({
    files: disk.files,
    file: disk.file,
    logged: disk.state.synced,
    texts: new OpenTexts(),
    maxNoteBytes: 10_000_000,
    writeBehind: { idleMs: 60_000, atMostMs: 60_000 },
    lingerMs: 60_000,
    clock: systemClock,
    logger: createLog({ service: 'test', level: 'fatal' }),
  })

test('reads and saves of a note that mixes a million line ends hold nobody up', async () => {
  const file = '\n\r\n'.repeat(PAIRS)
  const disk = memoryDisk(file)
  const sessions = await opened(disk)
  const session = await sessions.open('note.md', by)
  const length = file.length - PAIRS
  const type = (seq: number) =>
    session.push({ version: seq - 1, clientID: 'c', seq, updates: [[1, [0, 'x'], length + seq - 2]], by })

  let longest = Number.POSITIVE_INFINITY
  for (let seq = 1; seq <= ATTEMPTS && longest >= STALL_MS; seq++) {
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

test.each([
  ['line ends', '\n'.repeat(9_000_000), 'b\n'.repeat(4_500_000)],
  ['line ends of two characters', '\r\n'.repeat(4_500_000), 'b\r\n'.repeat(3_000_000)],
  ['short lines', 'ab\n'.repeat(3_000_000), 'ba\n'.repeat(3_000_000)],
])(
  'a file of nothing but %s is rewritten while others type, and holds nobody up',
  PATIENT,
  async (_what, one, other) => {
    const disk = memoryDisk(one)
    const sessions = await opened(disk)
    const session = await sessions.open('note.md', by)
    const end = vi.fn<(failure?: ServiceError) => void>()
    let longest = Number.POSITIVE_INFINITY
    for (let seq = 1; seq <= ATTEMPTS && longest >= STALL_MS; seq++) {
      const { version, text: before } = await session.whenLogged()
      await session.push({ version, clientID: 'c', seq, updates: [[[0, 'typed '], before.length]], by })
      const participant = {
        id: 'p',
        clientId: 'd',
        actor: by,
        send: () => {},
        backlog: () => 0,
        isOpen: () => true,
        end,
      }
      session.audience.add(participant)
      const text = (disk.state.note = disk.state.note === one ? other : one)
      const file = { path: 'note.md', text, baseline: baselineOf(Buffer.from(text)) }
      const turn = await longestTurnMs(() => session.fileChanged(file, undefined, outsideWho))
      longest = Math.min(longest, turn / slowness())
      expect(end.mock.calls.map(([failure]) => failure?.code)).toEqual(Array.from({ length: seq }, () => 'stale_doc'))
    }
    const { text } = await session.whenLogged()
    expect(text.startsWith('typed ')).toBe(true)
    expect(text.replaceAll('typed ', '')).toBe(toEditorText(disk.state.note))

    // A kill, and another start on what the disk has.
    let slowestStart = Number.POSITIVE_INFINITY
    for (let start = 1; start <= ATTEMPTS && slowestStart >= START_STALL_MS; start++) {
      const next = memoryDisk(disk.state.note)
      next.state.synced = disk.state.synced
      let again!: Awaited<ReturnType<typeof opened>>
      const turn = await longestTurnMs(async () => {
        again = await opened(next)
        await again.restoreAll()
      })
      slowestStart = Math.min(slowestStart, turn / slowness())
      expect((await (await again.open('note.md', by)).whenLogged()).text).toBe(text)
      expect(next.state.note.startsWith('typed ')).toBe(true)
    }
    expect(longest).toBeLessThan(STALL_MS)
    expect(slowestStart).toBeLessThan(START_STALL_MS)
  },
)
