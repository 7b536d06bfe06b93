import {
  forceCollide,
  forceLink,
  forceManyBody,
  forceSimulation,
  forceX,
  forceY,
  type Simulation,
  type SimulationNodeDatum,
} from 'd3-force'
import { levelsOf, type Level, type Shape } from './coarsen.ts'
import { pushApart } from './push-apart.ts'
import { aroundGroups, inDisc } from './spread.ts'

/** From this size on the layout goes from coarse to fine, and approximates distant files more coarsely. */
const LARGE = 2000
const LINK_LENGTH = 36
const PUSH = 60
const FARTHEST = 800
const COARSE_FROM = 0.8
/** How far a step moves the files, from the first step to the last, and the number of steps. */
const COOLING = {
  whole: { from: 1, to: 0.001, steps: 300 },
  coarsest: { from: 1, to: 0.01, steps: 150 },
  finer: { from: 0.4, to: 0.02, steps: 30 },
}

/**
 * Computes positions for the files of a graph, step by step. It always ends, and the same graph gets the same picture. A
 * large graph begins with groups of files, so that the many files have little left to move.
 */
export function layOut(shape: Shape) {
  const isLarge = shape.count > LARGE
  const levels = isLarge ? levelsOf(shape) : [{ ...shape, masses: new Uint32Array(shape.count).fill(1) }]
  let finest = levels.length - 1
  let simulation = simulate(levels[finest]!, {
    places: isLarge ? inDisc(levels[finest]!) : undefined,
    cooling: isLarge ? COOLING.coarsest : COOLING.whole,
  })
  const isCool = () => simulation.alpha() < simulation.alphaMin()

  return {
    isSettled: () => finest === 0 && isCool(),
    step: () => {
      if (isCool() && finest > 0) {
        const level = levels[--finest]!
        simulation = simulate(level, { places: aroundGroups(level, placesOf(simulation)), cooling: COOLING.finer })
      }
      simulation.tick()
    },
    /** All positions, x and y in turn. */
    places: () =>
      levels.slice(0, finest).reduceRight((places, level) => aroundGroups(level, places), placesOf(simulation)),
  }
}

type Beginning = { places: Float32Array | undefined; cooling: { from: number; to: number; steps: number } }

function simulate({ count, edges, masses }: Level, { places, cooling }: Beginning) {
  const isLarge = places !== undefined
  const nodes: SimulationNodeDatum[] = Array.from({ length: count }, (_, at) =>
    places ? { x: places[2 * at]!, y: places[2 * at + 1]! } : {},
  )
  const links = Array.from({ length: edges.length / 2 }, (_, at) => ({
    source: edges[2 * at]!,
    target: edges[2 * at + 1]!,
  }))
  // A group of files is as wide as they are, and pushes as they do together.
  const widthOf = (at: number) => Math.sqrt(masses[at]!)
  const strengths = Float64Array.from(masses, (mass) => PUSH * mass)
  const simulation = forceSimulation(nodes)
    .stop()
    .alpha(cooling.from)
    .alphaMin(cooling.to)
    .alphaDecay(1 - (cooling.to / cooling.from) ** (1 / cooling.steps))
    .force(
      'link',
      forceLink(links).distance((_, at) => (LINK_LENGTH * (widthOf(edges[2 * at]!) + widthOf(edges[2 * at + 1]!))) / 2),
    )
    .force('apart', isLarge ? pushApart({ strengths, coarseFrom: COARSE_FROM, farthest: FARTHEST }) : fewApart())
    // Keeps files without a link near the others.
    .force('across', forceX(0).strength(0.04))
    .force('down', forceY(0).strength(0.04))
  if (!isLarge) simulation.force('room', forceCollide(9))
  return simulation
}

const fewApart = () => forceManyBody().strength(-PUSH).distanceMax(FARTHEST)

function placesOf(simulation: Simulation<SimulationNodeDatum, undefined>): Float32Array {
  const nodes = simulation.nodes()
  const places = new Float32Array(2 * nodes.length)
  nodes.forEach(({ x = 0, y = 0 }, at) => places.set([x, y], 2 * at))
  return places
}
