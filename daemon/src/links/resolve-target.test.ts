import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { FileNames } from './file-names.ts'
import { resolveTarget } from './resolve-target.ts'

function namesOf(paths: readonly string[]): FileNames {
  const names = new FileNames()
  for (const path of paths) names.add(path)
  return names
}

const vault = namesOf([
  'Home.md',
  'Plan.md',
  'team/Plan.md',
  'team/Day.md',
  'team/old/Day.md',
  'deep/er/Only.md',
  'deep/er/v1.2.md',
  'files/image.png',
  'files/Cafe\u0301.md',
  'long.markdown',
])

describe('wiki links', () => {
  test.each([
    ['a name that is there once', 'Only', 'Home.md', 'deep/er/Only.md'],
    ['a name in any case', 'hOME', 'Plan.md', 'Home.md'],
    ['a name with its ending', 'Only.md', 'Home.md', 'deep/er/Only.md'],
    ['a name with a dot in it', 'v1.2', 'Home.md', 'deep/er/v1.2.md'],
    ['the long ending', 'long', 'Home.md', 'long.markdown'],
    ['the exact path before the own folder', 'Plan', 'team/Day.md', 'Plan.md'],
    ['the own folder before a shorter path', 'Day', 'team/old/Day.md', 'team/old/Day.md'],
    ['the shortest path else', 'Day', 'Home.md', 'team/Day.md'],
    ['the end of a path', 'old/day', 'Home.md', 'team/old/Day.md'],
    ['a path from the root', '/team/Plan', 'Home.md', 'team/Plan.md'],
    ['a relative path', '../Day', 'team/old/Day.md', 'team/Day.md'],
    ['an attachment', 'image.png', 'Home.md', 'files/image.png'],
    ['a name in another normal form', 'Café', 'Home.md', 'files/Cafe\u0301.md'],
    ['the note itself', '', 'team/Day.md', 'team/Day.md'],
  ])('find %s', (_, target, from, path) => {
    verifies('links.resolve')
    expect(resolveTarget(vault, { target, from, style: 'wiki' })).toBe(path)
  })

  test.each(['Nothing', 'eam/Plan', 'image', './Only', '/', '..'])('find nothing for %j', (target) =>
    expect(resolveTarget(vault, { target, from: 'absent.md', style: 'wiki' })).toBeUndefined(),
  )
})

describe('addresses', () => {
  test.each([
    ['Plan.md', 'team/Plan.md'],
    ['/Plan.md', 'Plan.md'],
    ['files/image.png', 'files/image.png'],
    ['../Plan', 'Plan.md'],
    ['../../../Plan', 'Plan.md'],
  ])('%s from a folder', (target, path) =>
    expect(resolveTarget(vault, { target, from: 'team/Day.md', style: 'address' })).toBe(path),
  )
})

/** The rules applied to all paths one by one, without an index of names. */
function naive(paths: readonly string[], target: string, from: string): string | undefined {
  const plain = (text: string) => text.normalize('NFC').toLowerCase()
  const folder = from.split('/').slice(0, -1).join('/')
  const matches = (path: string, wanted: string) =>
    [wanted, `${wanted}.md`, `${wanted}.markdown`].some((each) => plain(path) === plain(each))
  if (target === '') return from
  if (target.startsWith('./')) {
    const wanted = folder === '' ? target.slice(2) : `${folder}/${target.slice(2)}`
    return ['.md', '.markdown', ''].flatMap((end) => paths.filter((path) => plain(path) === plain(wanted + end)))[0]
  }
  const wanted = target.startsWith('/') ? target.slice(1) : target
  const parts = wanted.split('/').length
  const ends = paths.filter((path) => matches(path.split('/').slice(-parts).join('/'), wanted))
  const tiers = [
    ends.filter((path) => matches(path, wanted)),
    ends.filter((path) => path.split('/').slice(0, -1).join('/') === folder),
    ends,
  ]
  const tier = tiers.find((each) => each.length > 0) ?? []
  return tier.toSorted(
    (a, b) => a.split('/').length - b.split('/').length || a.length - b.length || (a < b ? -1 : 1),
  )[0]
}

test('agree with rules that are read one by one over all paths', () => {
  verifies('links.resolve')
  const name = fc.constantFrom('a', 'b', 'A', 'é', 'e\u0301', 'c.d')
  const file = fc
    .tuple(fc.array(name, { maxLength: 2 }), name, fc.constantFrom('.md', '.png', '.markdown', ''))
    .map(([folders, last, ending]) => [...folders, last + ending].join('/'))
  const target = fc
    .tuple(
      fc.constantFrom('', '', '', '/', './'),
      fc.array(name, { maxLength: 1 }),
      name,
      fc.constantFrom('', '', '.md'),
    )
    .map(([start, folders, last, ending]) => start + [...folders, last + ending].join('/'))
  // For two paths that differ only in case, the disk decides which of them an exact path means: leave those out.
  const files = fc.uniqueArray(file, {
    minLength: 1,
    maxLength: 9,
    selector: (path) => path.normalize('NFC').toLowerCase(),
  })
  fc.assert(
    fc.property(files, target, fc.nat(), (paths, wanted, pick) => {
      const from = paths[pick % paths.length]!
      const found = resolveTarget(namesOf(paths), { target: wanted, from, style: 'wiki' })
      expect(found).toBe(naive(paths, wanted, from))
    }),
    { numRuns: 2000 },
  )
})

test('names that are removed are not found any more', () => {
  const names = namesOf(['a.md', 'x/a.md', 'y/a.md'])
  names.remove('a.md')
  expect(resolveTarget(names, { target: 'a', from: 'b.md', style: 'wiki' })).toBe('x/a.md')
  names.remove('x/a.md')
  names.remove('x/a.md')
  expect(resolveTarget(names, { target: 'a', from: 'b.md', style: 'wiki' })).toBe('y/a.md')
  names.remove('y/a.md')
  expect(resolveTarget(names, { target: 'a', from: 'b.md', style: 'wiki' })).toBeUndefined()
})
