import { forceManyBody, type SimulationNodeDatum } from 'd3-force'
import { expect, it } from 'vitest'
import { pushApart } from './push-apart.ts'

const COUNT = 300
const bodies = (): SimulationNodeDatum[] =>
  Array.from({ length: COUNT }, (_, index) => ({
    index,
    x: (index * 7919) % 1009,
    y: (index * 104_729) % 997,
    vx: 0,
    vy: 0,
  }))
const strengthOf = (at: number) => 10 + (at % 7)

/** The forces of d3-force, not approximated. */
function exactly() {
  const nodes = bodies()
  const force = forceManyBody()
    .strength((_, at) => -strengthOf(at))
    .theta(0)
  force.initialize!(nodes, Math.random)
  force(0.5)
  return nodes
}

function pushed(coarseFrom: number) {
  const nodes = bodies()
  const force = pushApart({ strengths: Float64Array.from({ length: COUNT }, (_, at) => strengthOf(at)), coarseFrom })
  force.initialize(nodes)
  force(0.5)
  return nodes
}

it('pushes as d3-force does where nothing is summed up', () => {
  const [ours, theirs] = [pushed(Infinity), exactly()]
  ours.forEach(({ vx, vy }, at) => {
    expect(vx).toBeCloseTo(theirs[at]!.vx!, 6)
    expect(vy).toBeCloseTo(theirs[at]!.vy!, 6)
  })
})

it('is nearly the same where distant files are summed up', () => {
  const [ours, theirs] = [pushed(0.8), exactly()]
  const sizes = theirs.map(({ vx, vy }) => Math.hypot(vx!, vy!))
  const apart = ours.map(({ vx, vy }, at) => Math.hypot(vx! - theirs[at]!.vx!, vy! - theirs[at]!.vy!))
  const sum = (numbers: number[]) => numbers.reduce((all, one) => all + one, 0)
  expect(sum(apart) / sum(sizes)).toBeLessThan(0.1)
})

it('leaves files at one place where they are', () => {
  const nodes = [0, 1].map((index) => ({ index, x: 5, y: 5, vx: 0, vy: 0 }))
  const force = pushApart({ strengths: Float64Array.of(1, 1), coarseFrom: 0.8 })
  force.initialize(nodes)
  force(1)
  expect(nodes).toMatchObject([{ vx: 0 }, { vx: 0 }])
})
