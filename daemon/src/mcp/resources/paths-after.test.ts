import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byBytes, pathsAfter } from './paths-after.ts'
import { nothingRemembered, type Known, type KnownFile } from '../../watch/remembered.ts'

const noPause = () => undefined
const inBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** Files of which some are as remembered, some are remembered and gone, and others are recorded apart. */
function knownOf({ there, gone, apart }: Record<'there' | 'gone' | 'apart', readonly string[]>): Known {
  const paths = [...new Set([...there, ...gone, ...apart.filter((_, index) => index % 2 === 0)])].sort(inBytes)
  const isApart = new Set(apart)
  return {
    files: {
      ...nothingRemembered,
      count: paths.length,
      firstAtOrAfter(path) {
        const first = paths.findIndex((each) => inBytes(each, path) >= 0)
        return first === -1 ? paths.length : first
      },
      path: (number) => paths[number]!,
    },
    isThere: Uint8Array.from(paths, (path) => Number(there.includes(path) && !isApart.has(path))),
    apart: apart.map((path): KnownFile => ({
      path,
      stamp: { size: 1, mtimeMs: 1, ctimeMs: 1, ino: 1 },
      facts: undefined,
    })),
  }
}

const name = fc.constantFrom(
  'a.md',
  'a',
  'b/c.md',
  'b-c.md',
  'é.md',
  'ﬀ.md',
  '\u{1F600}.md',
  'z',
  '\uFFFD',
  '\u{10FFFF}',
)
const path = fc.tuple(name, name).map((names) => names.join('/'))
const paths = fc.uniqueArray(path, { maxLength: 40 })

test('texts are compared by their bytes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
      expect(Math.sign(byBytes(a, b))).toBe(Math.sign(inBytes(a, b)))
      expect(byBytes(a, a)).toBe(0)
    }),
  )
})

test('pages have every file once and in order, wherever it is recorded', async () => {
  await fc.assert(
    fc.asyncProperty(paths, paths, paths, fc.integer({ min: 1, max: 5 }), async (there, gone, apart, most) => {
      const known = knownOf({ there, gone, apart })
      const listed: string[] = []
      for (let page: string[] = [], after: string | undefined; ; after = page.at(-1)) {
        page = await pathsAfter(known, { after, most, pause: noPause })
        listed.push(...page)
        if (page.length < most) break
      }
      const isGone = new Set(gone.filter((each) => !there.includes(each)))
      const expected = new Set([...there, ...apart].filter((each) => apart.includes(each) || !isGone.has(each)))
      expect(listed).toEqual([...expected].sort(inBytes))
    }),
  )
})

test('a page begins after a path that is not there any more', async () => {
  const known = knownOf({ there: ['a.md', 'c.md'], gone: [], apart: ['d.md'] })
  expect(await pathsAfter(known, { after: 'b.md', most: 9, pause: noPause })).toEqual(['c.md', 'd.md'])
})
