import { expect, it } from 'vitest'
import { levelsOf } from './coarsen.ts'

/** Pseudo-random links of a graph. The same seed gives the same links. */
function linksOf(count: number, links: number): Uint32Array {
  let state = 7
  const below = (limit: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return state % limit
  }
  return Uint32Array.from({ length: 2 * links }, () => below(count))
}

it.each([
  ['a chain', 5000, Uint32Array.from({ length: 9998 }, (_, at) => Math.ceil(at / 2))],
  ['one file that all others link to', 5000, Uint32Array.from({ length: 9998 }, (_, at) => (at % 2) * ((at + 1) / 2))],
  ['links anywhere', 5000, linksOf(5000, 7000)],
])('gets coarser until little is left: %s', (_what, count, edges) => {
  const levels = levelsOf({ count, edges })
  expect(levels[0]).toMatchObject({ count, edges })
  expect(levels.at(-1)!.count).toBeLessThan(1000)
  for (const [nth, level] of levels.entries()) {
    expect(level.masses.reduce((sum, mass) => sum + mass, 0)).toBe(count)
    const next = levels[nth + 1]
    if (!next) continue
    expect(level.groups).toHaveLength(level.count)
    expect(level.groups!.every((group) => group < next.count)).toBe(true)
    expect(next.edges.every((end) => end < next.count)).toBe(true)
  }
})

it('joins what is linked, and what has the same neighbour', () => {
  // Two stars of 200 files each.
  const edges = Uint32Array.from({ length: 4 * 199 }, (_, at) => {
    const [star, leaf] = [Math.floor(at / 398), Math.floor((at % 398) / 2) + 1]
    return star * 200 + (at % 2 === 0 ? 0 : leaf)
  })
  const [files, groups] = levelsOf({ count: 400, edges })
  const starsOf = new Map<number, Set<boolean>>()
  files!.groups!.forEach((group, at) => starsOf.set(group, (starsOf.get(group) ?? new Set()).add(at < 200)))
  expect([...starsOf.values()].every((stars) => stars.size === 1)).toBe(true)
  expect(groups!.count).toBeLessThan(150)
})

it('leaves a graph that is small, or has no links, as it is', () => {
  expect(levelsOf({ count: 0, edges: new Uint32Array() })).toHaveLength(1)
  expect(levelsOf({ count: 100, edges: Uint32Array.from([0, 1]) })).toHaveLength(1)
  expect(levelsOf({ count: 5000, edges: new Uint32Array() })).toHaveLength(1)
})
