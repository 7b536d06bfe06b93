import { serialize } from 'node:v8'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { alignLines } from './align-lines.ts'
import { foldAuthors, noAuthorship, type Authorship, type AuthoredText } from './fold-authors.ts'

const authorsOf = ({ runs }: Authorship): number[] => runs.flatMap(({ lines, by }) => Array<number>(lines).fill(by))

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('edit' as const), at: fc.nat(), old: fc.nat(3), made: fc.nat(3) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('back' as const), to: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('gone' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('together' as const), at: fc.nat(), other: fc.nat(4) }) },
)

test('every line has its author through edits, joint edits, deletions and old texts that come back', () => {
  verifies('authors.model')
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(4), step), { maxLength: 40 }), fc.nat(9), (steps, cut) => {
      // The reference is a list of unique lines with their authors.
      let lines: { words: string; by: number }[] = []
      const past: (typeof lines)[] = []
      const texts: AuthoredText[] = []
      let unique = 0
      const fresh = (by: number) => ({ words: `line ${unique++}`, by })

      for (const [by, what] of steps) {
        let written: AuthoredText['written']
        if (what.kind === 'edit') {
          const at = what.at % (lines.length + 1)
          lines = lines.toSpliced(at, what.old, ...Array.from({ length: what.made }, () => fresh(by)))
        } else if (what.kind === 'back' && past.length > 0) lines = past[what.to % past.length]!
        else if (what.kind === 'together') {
          const at = what.at % (lines.length + 1)
          lines = lines.toSpliced(at, 0, fresh(by), fresh(what.other))
          written = lines.map((_line, index) => ({
            lines: 1,
            by: index === at + 1 ? what.other : undefined,
          }))
        } else if (what.kind === 'gone') {
          texts.push({ text: undefined, content: undefined, source: by })
          lines = []
          continue
        }
        past.push(lines)
        const text = lines.map(({ words }) => `${words}\n`).join('')
        texts.push({ text, content: text, source: by, written })
      }

      // In two parts, as new revisions are added to what is known of older ones.
      const middle = Math.min(cut, texts.length)
      const base = foldAuthors({ base: noAuthorship, texts: texts.slice(0, middle) })
      const found = foldAuthors({ base, texts: texts.slice(middle) })
      expect(authorsOf(found)).toEqual(lines.map(({ by }) => by))
    }),
    { numRuns: 300 },
  )
})

test('an outside rewrite of most lines leaves the others to their authors', () => {
  const before = Array.from({ length: 3000 }, (_, at) => `${at}\n`)
  const after = before.map((line, at) => (at % 3 === 0 ? `changed ${line}` : line))
  const texts = [before, after].map((lines, source) => ({ text: lines.join(''), content: undefined, source }))
  expect(authorsOf(foldAuthors({ base: noAuthorship, texts }))).toEqual(before.map((_, at) => (at % 3 === 0 ? 1 : 0)))
})

test('line ends, a byte order mark and a missing last line end are nobody’s words', () => {
  const texts = ['a\nb\nc', '\uFEFFa\r\nb\r\nc\r\n'].map((text, source) => ({ text, content: undefined, source }))
  expect(foldAuthors({ base: noAuthorship, texts }).runs).toEqual([{ lines: 3, by: 0 }])
})

test('changes found through anchors rebuild the text', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(400), { maxLength: 400 }), fc.array(fc.nat(400), { maxLength: 400 }), (one, other) => {
      const [a, b] = [one.map(String), other.map(String)]
      const built: string[] = []
      let at = 0
      for (const { fromA, toA, fromB, toB } of alignLines(a, b)) {
        built.push(...a.slice(at, fromA), ...b.slice(fromB, toB))
        at = toA
      }
      expect([...built, ...a.slice(at)]).toEqual(b)
    }),
    { numRuns: 100 },
  )
})

/** Texts in which two authors change every second line in turn. */
const alternating = (lines: number, texts: number): AuthoredText[] =>
  Array.from({ length: texts }, (_text, number) => {
    const lineAt = (_line: unknown, at: number) => `${at} ${at % 2 === number % 2 ? number : number - 1}\n`
    const text = Array.from({ length: lines }, lineAt).join('')
    return { text, content: `text ${number}`, source: 1 + (number % 2) }
  })

test('what is known of many earlier texts stays small, and the newest of them are known', { timeout: 60_000 }, () => {
  verifies('untrusted.off-loop')
  const texts = alternating(8000, 60)
  const found = foldAuthors({ base: noAuthorship, texts })
  expect(found.runs.length).toBe(8000)
  expect(serialize(found.known).length).toBeLessThan(512 * 1024)
  const again = foldAuthors({ base: found, texts: [{ ...texts.at(-2)!, source: 9 }] })
  expect(new Set(authorsOf(again))).toEqual(new Set([1, 2]))
})

test('the lines after very many runs have an unknown author', () => {
  verifies('untrusted.off-loop')
  const { runs } = foldAuthors({ base: noAuthorship, texts: alternating(30_000, 2) })
  expect(runs.length).toBe(10_000)
  expect(runs.at(-1)).toEqual({ lines: 30_000 - 9999, by: 0 })
  expect(runs.slice(0, 3).map(({ by }) => by)).toEqual([1, 2, 1])
})
