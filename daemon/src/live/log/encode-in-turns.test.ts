import { expect, test } from 'vitest'
import { STALL_MS } from '../../../../test/support/fuzz.ts'
import { longestTurnMs } from '../../../../test/support/longest-turn.ts'
import { slowness } from '../../../../test/support/machine-speed.ts'
import { NoteDocument } from '../note-document.ts'
import { encodeInTurns } from './encode-in-turns.ts'
import { decodeFrames, generationOf } from './log-frame.ts'
import type { MakeRecord } from './log-record.ts'
import { replayLog } from './replay-log.ts'
import { snapshotRecords } from './session-records.ts'

async function encoded(records: readonly MakeRecord[]): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of encodeInTurns(3, records)) parts.push(part)
  return Buffer.concat(parts)
}

test('the frames are those of the records', async () => {
  const record = (nth: number) => ({ kind: 'moved', epoch: 'epoch-one', path: `${'x'.repeat(nth * 100)}é.md` }) as const
  const records = Array.from({ length: 100 }, (_, nth) => record(nth))
  const bytes = await encoded(records.map((one) => () => one))
  expect([...decodeFrames(bytes)]).toEqual(records)
  expect(generationOf(bytes)).toBe(3)
  expect(await encoded([])).toHaveLength(0)
})

/** The snapshots of many large notes in which something was just typed. */
function snapshotOfMany(): MakeRecord[] {
  const by = { kind: 'local' } as const
  const text = 'a line of some words\n'.repeat(30_000)
  return Array.from({ length: 16 }, (_, nth) => {
    const document = new NoteDocument({ text })
    const updates = [[1, [0, 'x'], text.length - 1] as (number | [number, string])[]]
    document.apply(document.rebase({ version: 0, clientID: 'c', updates, by }))
    const facts = { epoch: `epoch-${nth}`, path: `${nth}.md`, baseline: 'b', by, agreed: document.mark().agreed }
    return snapshotRecords(facts, document, undefined)
  }).flat()
}

test('a log with the texts of many large notes holds nobody up', { timeout: 60_000 }, async () => {
  let longest = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 3 && longest >= STALL_MS; attempt++) {
    const records = snapshotOfMany()
    longest = Math.min(longest, (await longestTurnMs(() => encoded(records))) / slowness())
  }
  expect(longest).toBeLessThan(STALL_MS)
})

test('neither does its reading at the next start', { timeout: 60_000 }, async () => {
  const bytes = await encoded(snapshotOfMany())
  let longest = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 3 && longest >= STALL_MS; attempt++) {
    const reading = async () => expect((await replayLog(decodeFrames(bytes))).sessions).toHaveLength(16)
    longest = Math.min(longest, (await longestTurnMs(reading)) / slowness())
  }
  expect(longest).toBeLessThan(STALL_MS)
})
