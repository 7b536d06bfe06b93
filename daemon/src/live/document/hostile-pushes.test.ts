import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { liveLimits, type LiveChanges } from '@svc/shared/wire/daemon/live-messages.ts'
import { isFailure } from '@svc/shared/wire/errors.ts'
import { expect, test } from 'vitest'
import { cpuMsOf } from '../../../../test/support/cpu-time.ts'
import { STALL_MS } from '../../../../test/support/fuzz.ts'
import { memoryDisk } from '../../../../test/support/live-model.ts'
import { slowness } from '../../../../test/support/machine-speed.ts'
import { openLiveSessions } from '../open-live-sessions.ts'
import { NoteDocument } from '../note-document.ts'
import { OpenTexts } from './open-texts.ts'

const LINE = 'some words\n'
const LINES = 40_000
const by = { kind: 'local' } as const
const newDocument = () => new NoteDocument({ text: LINE.repeat(LINES) })
const form = { markBytes: 0, lineEndBytes: 1 } as const

/** Replaces the first letter of every second line from `first` on. */
function everySecondLine(count: number, letter: string, first = 0): LiveChanges {
  const changes: LiveChanges = []
  let at = 0
  for (let nth = 0; nth < count; nth++) {
    const from = (first + 2 * nth) * LINE.length
    if (from > at) changes.push(from - at)
    changes.push([1, letter])
    at = from + 1
  }
  return [...changes, LINES * LINE.length - at]
}

function push(document: NoteDocument, version: number, clientID: string, updates: readonly LiveChanges[]): void {
  try {
    const rebased = document.rebase({ version, clientID, updates, by })
    document.fits(rebased, { maxBytes: 1_000_000, form })
    document.apply(rebased)
  } catch (error) {
    if (!isFailure(error, 'stale_doc')) throw error
  }
}

/** Measures a call several times, because a garbage collection may fall into one of them. */
async function expectNoStall(begin: () => () => unknown): Promise<void> {
  let longest = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 3 && longest >= STALL_MS; attempt++)
    longest = Math.min(longest, (await cpuMsOf(begin())) / slowness())
  expect(longest).toBeLessThan(STALL_MS)
}

const typed: LiveChanges = [5, [0, 'x'], LINES * LINE.length - 5]
const oneAfterAnother = Array.from({ length: liveLimits.maxUpdates }, (_, nth): LiveChanges => [
  5 + nth,
  [0, 'x'],
  LINES * LINE.length - 5,
])

test('a push of many sections on top of an old version holds nobody up', async () => {
  await expectNoStall(() => {
    const document = newDocument()
    for (let nth = 0; nth < 100; nth++) push(document, nth, 'ada', [everySecondLine(1000, 'a', nth)])
    const updates = Array.from({ length: 200 }, (_, nth) => everySecondLine(19, 'b', nth))
    return () => push(document, 0, 'bob', updates)
  })
})

test('a push of many updates to a note with much that is unsaved holds nobody up', async () => {
  await expectNoStall(() => {
    const document = newDocument()
    for (let nth = 0; nth < 10; nth++) push(document, document.version, 'ada', [everySecondLine(1900, 'a', 3800 * nth)])
    expect(document.writers.length).toBeGreaterThan(37_000)
    return () => push(document, document.version, 'ada', oneAfterAnother)
  })
})

test('the largest push holds nobody up', async () => {
  await expectNoStall(() => {
    const document = newDocument()
    const count = liveLimits.maxSections / 2 - 1
    return () => push(document, 0, 'ada', [everySecondLine(count, 'a'), everySecondLine(count, 'b', 1)])
  })
})

test('a caret of a very old version is left out; one that missed what people typed is not', () => {
  const document = newDocument()
  for (let nth = 0; nth < 20; nth++) push(document, nth, 'ada', [everySecondLine(1000, 'a', nth)])
  expect(document.placeAt({ version: 0, upTo: 20, clientID: 'bob' })).toBeUndefined()
  expect(document.placeAt({ version: 15, upTo: 20, clientID: 'bob' })?.(3)).toBe(3)

  const other = newDocument()
  for (let nth = 0; nth < 500; nth++) push(other, 0, 'ada', [typed])
  const place = other.placeAt({ version: 0, upTo: other.version, clientID: 'bob' })
  expect(place?.(3)).toBe(3)
})

test('much that is unsaved in many places is saved before more is applied', async () => {
  const disk = memoryDisk('a\n'.repeat(LINES * 4))
  const sessions = await openLiveSessions({
    files: disk.files,
    file: disk.file,
    logged: Buffer.alloc(0),
    texts: new OpenTexts(),
    maxNoteBytes: 1_000_000,
    writeBehind: { idleMs: 60_000, atMostMs: 60_000 },
    lingerMs: 60_000,
    clock: systemClock,
    logger: createLog({ service: 'test', level: 'fatal' }),
  })
  const session = await sessions.open('note.md', by)
  const places = 1900
  let saves = 0
  for (let nth = 0, last = disk.state.note; nth < 30; nth++) {
    const start = 4 * places * nth
    const changes: LiveChanges = start > 0 ? [start] : []
    for (let place = 0; place < places; place++) changes.push([1, 'b'], 3)
    changes.push(LINES * 8 - start - 4 * places)
    await session.push({ version: nth, clientID: 'c', seq: nth + 1, updates: [changes], by })
    if (disk.state.note !== last) saves += 1
    last = disk.state.note
  }
  expect(saves).toBeGreaterThan(0)
  expect(saves).toBeLessThan(5)
  await sessions.close()
  expect(disk.state.note.split('b')).toHaveLength(30 * places + 1)
})
