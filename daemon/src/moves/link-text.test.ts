import fc from 'fast-check'
import { expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { FileNames } from '../links/file-names.ts'
import { resolveTarget } from '../links/resolve-target.ts'
import { linksOf } from '../markdown/note-links.ts'
import { destinationAfterMove, isPlainAddress } from './link-text.ts'
import { namesAfter } from './moved-names.ts'
import { checkLinks, rewriteLinks } from './rewrite-links.ts'

const namesOf = (paths: readonly string[]): FileNames => {
  const names = new FileNames()
  for (const path of paths) names.add(path)
  return names
}

test('a name that a wiki link cannot hold gives no destination', () => {
  const names = namesOf(['C#.md', 'n.md'])
  const rewriting = { raw: 'C', was: { note: 'n.md', file: 'C.md' }, note: 'n.md', file: 'C#.md', names }
  expect(destinationAfterMove({ ...rewriting, link: { kind: 'wiki', target: 'C' } })).toBeUndefined()
  expect(destinationAfterMove({ ...rewriting, link: { kind: 'markdown', target: 'C' } })).toBe('C%23')
})

test('a Markdown link is plain when it is relative to its note or from the root', () => {
  const of = (target: string) => isPlainAddress({ kind: 'markdown', target }, 'a/n.md', 'a/b.md')
  expect(['b.md', 'b', './b.md', '../a/b.md', '/a/b.md', 'a/b.md', '/b.md'].map(of)).toEqual([
    true,
    true,
    true,
    true,
    true,
    false,
    false,
  ])
})

const part = fc.constantFrom('a', 'b', 'C', 'd e', 'ü', 'x(1)', '50%', "o'n")
const file = fc
  .tuple(fc.array(part, { maxLength: 3 }), part, fc.constantFrom('.md', '.md', '.png', '.markdown'))
  .map(([folders, name, ending]) => [...folders, name].join('/') + ending)
const vault = fc.uniqueArray(file, { minLength: 2, maxLength: 12, selector: (path) => path.toLowerCase() })
const link = fc.tuple(fc.nat(), fc.nat(4), fc.constantFrom('wiki', 'markdown', 'reference'), fc.boolean())

/** One of the ways in which people write a link to a file. */
function written(target: string, note: string, [, depth, kind, isShort]: [number, number, string, boolean]): string {
  const name = isShort ? target.replace(/\.(?:md|markdown)$/, '') : target
  const path =
    depth === 4
      ? `/${name}`
      : name
          .split('/')
          .slice(-1 - depth)
          .join('/')
  const up = note
    .split('/')
    .slice(1)
    .map(() => '..')
    .join('/')
  const relative = up === '' ? name : `${up}/${name}`
  if (kind === 'wiki') return `[[${path}#Part|shown]]`
  const address = (depth === 0 ? relative : path)
    .split('/')
    .map((each) => encodeURIComponent(each).replace(/[()']/g, (c) => `%${c.charCodeAt(0).toString(16)}`))
    .join('/')
  return kind === 'markdown' ? `[t](${address}#Part)` : `\n\n[r]: ${address}\n\n`
}

test('whatever is moved in whatever vault, every link means the same file afterwards', async () => {
  verifies('links.move')
  const scene = fc.record({
    paths: vault,
    note: file,
    to: file,
    links: fc.array(link, { minLength: 1, maxLength: 6 }),
    isFolder: fc.boolean(),
    from: fc.nat(),
  })
  await fc.assert(
    fc.asyncProperty(scene, async ({ paths: others, note: any, to, links: wanted, isFolder, from }) => {
      const note = `${any.slice(0, any.lastIndexOf('.'))}.md`
      const paths = [...new Set([...others, note])]
      const source = paths[from % paths.length]!
      const folder = source.includes('/') ? source.slice(0, source.indexOf('/')) : undefined
      const isBelow = isFolder && folder !== undefined && !`${to}/`.startsWith(`${folder}/`)
      const moved = new Map(
        isBelow
          ? paths.filter((path) => path.startsWith(`${folder}/`)).map((path) => [path, to + path.slice(folder.length)])
          : [[source, to.slice(0, to.lastIndexOf('.')) + source.slice(source.lastIndexOf('.'))]],
      )
      const taken = new Set(paths.map((path) => path.toLowerCase()))
      fc.pre([...moved.values()].every((path) => !taken.has(path.toLowerCase())))

      const text = wanted.map((each) => written(paths[each[0] % paths.length]!, note, each)).join(' and ')
      const before = namesOf(paths)
      const world = { before, after: await namesAfter(before, moved, () => undefined), moved }
      const links = linksOf(text)
      const result = await rewriteLinks(world, { path: note, text, links }, () => undefined)
      const after = linksOf(result?.text ?? text)
      await checkLinks(world, { path: note, before: links, after }, () => undefined)
      const meant = links.map((each) => {
        const was = resolveTarget(before, {
          target: each.target,
          from: note,
          style: each.kind === 'wiki' ? 'wiki' : 'address',
        })
        return was === undefined ? undefined : (moved.get(was) ?? was)
      })
      const real = namesOf(paths.map((path) => moved.get(path) ?? path))
      const now = after.map((each, index) =>
        meant[index] === undefined
          ? undefined
          : resolveTarget(real, {
              target: each.target,
              from: moved.get(note) ?? note,
              style: each.kind === 'wiki' ? 'wiki' : 'address',
            }),
      )
      expect(now).toEqual(meant)
      // Everything outside the destinations stays, byte by byte.
      const rest = (whole: string, found: typeof links) =>
        found
          .toSorted((a, b) => a.from - b.from)
          .reduceRight((left, { from: start, to: end }) => left.slice(0, start) + left.slice(end), whole)
      expect(rest(result?.text ?? text, after)).toBe(rest(text, links))
    }),
    { numRuns: 2000 },
  )
})
