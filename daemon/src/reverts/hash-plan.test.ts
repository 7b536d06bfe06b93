import { expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { longestTurnMs } from '../../../test/support/longest-turn.ts'
import { STALL_MS } from '../../../test/support/fuzz.ts'
import { slowness } from '../../../test/support/machine-speed.ts'
import { reviewOf } from './hash-plan.ts'
import type { PlannedNote } from './planned-note.ts'

const edit = (path: string, text: string): PlannedNote => ({
  kind: 'note',
  path,
  action: 'edit',
  diff: '',
  conflicts: [],
  text,
  baseline: 'b',
  revisions: [],
  paths: [path],
  undone: [],
})

test('many large notes are hashed without holding the event loop', { timeout: 120_000 }, async () => {
  verifies('untrusted.off-loop')
  const notes = Array.from({ length: 20 }, (_, at) => edit(`${at}.md`, 'line “a”\n'.repeat(330_000)))
  let longest = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 3 && longest >= STALL_MS; attempt++)
    longest = Math.min(longest, (await longestTurnMs(() => reviewOf(notes, []))) / slowness())
  expect(longest).toBeLessThan(STALL_MS)
})

test('plans that differ in one character have different names', async () => {
  const conflict = { line: 1, now: 'a', before: 'b' }
  const note = { ...edit('a.md', 'text'), conflicts: [conflict] }
  const plans: [PlannedNote[], string[]][] = [
    [[note], []],
    [[{ ...note, text: 'texu' }], []],
    [[{ ...note, baseline: 'c' }], []],
    [[{ ...note, conflicts: [{ ...conflict, now: 'ab', before: '' }] }], []],
    [[note], ['folder']],
    [[note, note], []],
  ]
  const names = await Promise.all(plans.map(([notes, emptied]) => reviewOf(notes, emptied)))
  expect(new Set(names).size).toBe(plans.length)
  expect(await reviewOf([structuredClone(note)], [])).toBe(names[0])
})
