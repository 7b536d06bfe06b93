import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readGroups } from './dictionary-groups.ts'
import { termsWith } from './dictionary-terms.ts'
import { DictionaryWriter } from './dictionary-writer.ts'

// Few letters, so that terms have common prefixes of any length.
const term = fc.string({ unit: fc.constantFrom('a', 'b', 'é'), minLength: 1, maxLength: 6 })
const terms = fc.uniqueArray(term, { minLength: 1, maxLength: 120 })

test('the terms that begin with some bytes are found, in order, with where their postings lie', () => {
  fc.assert(
    fc.property(terms, term, (all, wanted) => {
      const sorted = all.map((each) => Buffer.from(each)).sort((a, b) => Buffer.compare(a, b))
      const writer = new DictionaryWriter()
      for (const [index, bytes] of sorted.entries())
        writer.add(bytes, { notes: index + 1, postings: index * 2, positions: index * 3 })
      const bytes = writer.dictionary.bytes()
      const groups = readGroups(Buffer.from(writer.groups.bytes()))

      const sum = (until: number) => (until * Math.max(0, until - 1)) / 2
      const expected = sorted.flatMap((each, index) =>
        each.toString().startsWith(wanted)
          ? {
              notes: index + 1,
              whole: each.toString() === wanted,
              postings: { offset: sum(index) * 2, length: index * 2 },
              positions: { offset: sum(index) * 3, length: index * 3 },
              spans: { offset: 0, length: 0 },
            }
          : [],
      )
      expect(termsWith(Buffer.from(wanted), { bytes, start: 0, groups, from: 0 })).toEqual(expected)
    }),
  )
})
