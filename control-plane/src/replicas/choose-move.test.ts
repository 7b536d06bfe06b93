import { expect, it } from 'vitest'
import { excessOf, shouldMove } from './choose-move.ts'

const replicas = (...loads: (number | undefined)[]) =>
  loads.map((tunnels, i) => ({ replicaId: 'abcdef'.charAt(i), tunnels }))

it.each([
  ['an only replica', replicas(100), 0],
  ['even loads', replicas(10, 10, 10), 0],
  ['a little more than others', replicas(12, 10, 10), 0],
  ['one that came back empty', replicas(100, 100, 0), 14],
  ['all tunnels here', replicas(100, 0), 35],
  ['one that has not said what it holds', replicas(100, undefined), 0],
  ['few tunnels at all', replicas(4, 0, 0), 0],
])('excess of a: %s', (_what, all, excess) => {
  expect(excessOf('a', all)).toBe(excess)
})

it.each<[string, number, string, boolean, boolean]>([
  ['both tunnels here, another replica empty', 2, 'aa', false, true],
  ['one here, one there', 3, 'ab', false, false],
  ['the same while overloaded, with a third replica', 3, 'ab', true, true],
  ['the same while overloaded, with none besides', 2, 'ab', true, false],
  ['three and one', 2, 'aaab', false, true],
  ['two and two', 2, 'aabb', false, false],
  ['two, one and one', 3, 'aabc', false, false],
  ['the only tunnel', 2, 'a', false, false],
  ['the only tunnel while overloaded', 2, 'a', true, true],
  ['both at another', 2, 'bb', true, false],
  ['no other replica', 1, 'aaaa', true, false],
])('a move away from a: %s', (_what, count, holders, overloaded, expected) => {
  const spread = { replicaId: 'a', replicas: replicas(1, 1, 1).slice(0, count), holders: [...holders], overloaded }
  expect(shouldMove(spread)).toBe(expected)
})
