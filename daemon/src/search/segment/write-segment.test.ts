import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SegmentPart, type NoteFile } from './segment-part.ts'
import { writeSegment } from './write-segment.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-segment-'))
})
afterAll(() => rm(folder, { recursive: true }))

const stamp = { size: 1, mtimeMs: 2, ctimeMs: 3, ino: 4 }

/** A note with words of all notes, of every third one, and of its own. */
function noteAt(number: number): NoteFile {
  const path = `note ${String(number).padStart(4, '0')}.md`
  const text = `common ${number % 3 === 0 ? 'third ' : ''}own${number} ${'again '.repeat(number % 7)}日本`
  const named = { path, title: `Title ${number}`, text, tags: ['x'], properties: { due: number % 5 } }
  return { ...named, stamp, baseline: 'ab'.repeat(12), blob: 'cd'.repeat(20), problem: undefined }
}

type Part = { from: number; to: number; spillAt: readonly number[] }

/** The segment of 1,400 notes, every tenth followed by an attachment, collected in these parts. */
async function segmentOf(name: string, parts: readonly Part[]): Promise<Buffer> {
  const target = join(folder, name)
  const collected = parts.map(({ from, to, spillAt }, index) => {
    const part = new SegmentPart({ target: `${target}.${index}`, poolBytes: Number.POSITIVE_INFINITY })
    for (let number = from; number < to; number++) {
      part.addNote(noteAt(number))
      if (number % 10 === 0) part.addAttachment(`note ${String(number).padStart(4, '0')}.md.png`, stamp)
      if (spillAt.includes(number)) part.spill()
    }
    return part.finish()
  })
  writeSegment(target, collected)
  return readFile(target)
}

test('a segment is the same in how many parts it was collected, and how often memory was full', async () => {
  const whole = await segmentOf('whole', [{ from: 0, to: 1400, spillAt: [] }])
  const ways: Part[][] = [
    [{ from: 0, to: 1400, spillAt: [5, 200] }],
    [
      { from: 0, to: 200, spillAt: [] },
      { from: 200, to: 1400, spillAt: [399] },
    ],
    [
      { from: 0, to: 1, spillAt: [] },
      { from: 1, to: 129, spillAt: [7, 90] },
      { from: 129, to: 1400, spillAt: [130] },
    ],
    [
      { from: 0, to: 0, spillAt: [] },
      { from: 0, to: 1400, spillAt: [] },
    ],
  ]
  for (const [index, parts] of ways.entries())
    expect(whole.equals(await segmentOf(`way ${index}`, parts)), `way ${index}`).toBe(true)
  expect((await readdir(folder)).filter((name) => name.includes('spill'))).toEqual([])
})
