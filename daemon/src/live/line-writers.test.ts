import { Text } from '@codemirror/state'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import type { Actor } from '../entry/actor.ts'
import { authorOf } from '../entry/author.ts'
import { NoteDocument } from './note-document.ts'
import { writtenLines } from './line-writers.ts'

const people = ['Ada', 'Bo', 'Cy'].map((name): Actor => ({ kind: 'person', id: `usr_${name}`, name, role: 'member' }))
const step = fc.record({ who: fc.nat(2), at: fc.nat(), old: fc.nat(2), made: fc.nat(2), saves: fc.nat(5) })

test('every unsaved line has its writer, whoever types at once and while the file is written', () => {
  verifies('authors.live')
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let lines = Array.from({ length: 4 }, (_, at) => ({ words: `first ${at}`, by: undefined as string | undefined }))
      const document = new NoteDocument({ text: lines.map(({ words }) => `${words}\n`).join('') })
      let saved = new Set(lines.map(({ words }) => words))
      let saving: Set<string> | undefined
      let unique = 0
      for (const { who, at, old, made, saves } of steps) {
        const text = Text.of(document.text.split('\n'))
        const from = at % (lines.length + 1)
        const to = Math.min(lines.length, from + old)
        const fresh = Array.from({ length: made }, () => ({
          words: `line ${unique++}`,
          by: people[who]!.kind === 'person' ? people[who]!.name : '',
        }))
        const [start, end] = [text.line(from + 1).from, text.line(to + 1).from]
        const insert = fresh.flatMap(({ words }) => [words]).concat(fresh.length > 0 ? [''] : [])
        const change = [start, [end - start, ...insert], text.length - end].filter((part) => part !== 0)
        if (end > start || fresh.length > 0) {
          const updates = document.rebase({
            version: document.version,
            clientID: 'c',
            updates: [change] as never,
            by: people[who]!,
          })
          document.apply(updates)
          lines = lines.toSpliced(from, to - from, ...fresh)
        }
        if (saves === 0) {
          document.startSaving(document.agreed)
          saving = new Set(lines.map(({ words }) => words))
        }
        if (saves === 1 && saving) {
          document.saved()
          saved = saving
          saving = undefined
        }
      }
      const told = writtenLines(document.mark()).flatMap((run) =>
        Array<string | undefined>(run.lines).fill(run.by?.name),
      )
      // No author is reported for a line that the file has.
      expect(told).toEqual(lines.map(({ words, by }) => (saved.has(words) ? undefined : by)))
    }),
    { numRuns: 200 },
  )
})

test('what the file brings in is told of outside edits alone', () => {
  const document = new NoteDocument({ text: 'a\nb\n' })
  document.mergeFile('a\nagent\nb\n', 'agent', { kind: 'agent', name: 'Bot' })
  expect(writtenLines(document.mark())).toEqual([{ lines: 3, by: undefined }])
  document.mergeFile('a\nagent\nb\noutside\n', 'outside', { kind: 'outside', name: 'Outside edit' })
  expect(writtenLines(document.mark()).at(-1)).toEqual({ lines: 1, by: { id: 'outside', name: 'Outside edit' } })
  const [update] = document.rebase({
    version: document.version,
    clientID: 'c',
    updates: [[1, [0, '!'], document.text.length - 1]],
    by: people[0]!,
  })
  document.apply([update!])
  expect(writtenLines(document.mark())[0]).toEqual({ lines: 1, by: authorOf(people[0]!) })
})
