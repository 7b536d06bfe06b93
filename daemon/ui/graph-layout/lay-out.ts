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
import { ringsAround } from './rings.ts'
import { aroundGroups, inDisc } from './spread.ts'

/**
 * From this size on, the layout goes from coarse to fine, and files without links are put on rings around the others.
 */
const LARGE = 2000
const LINK_LENGTH = 36
const PUSH = 60
/**
 * The simulation's alpha (how far a step moves the files) at the first and at the last step, and the number of steps.
 */
const COOLING = {
  whole: { from: 1, to: 0.001, steps: 300 },
  coarsest: { from: 1, to: 0.01, steps: 150 },
  finer: { from: 0.5, to: 0.01, steps: 50 },
}

/** The steps of a layout. */
type Layout = {
  isSettled(): boolean
  step(): void
  /** The positions of all files, as alternating x and y. */
  places(): Float32Array
}

/** Computes positions for the files of a graph, step by step. It always ends, and the same graph gets the same picture. */
export const layOut = (shape: Shape): Layout => (shape.count > LARGE ? layOutMany(shape) : layOutFew(shape))

function layOutFew({ count, edges }: Shape): Layout {
  const simulation = simulate({ nodes: Array.from({ length: count }, () => ({})), edges }, COOLING.whole)
    .force('apart', forceManyBody().strength(-PUSH).distanceMax(800))
    .force('room', forceCollide(9))
  return {
    isSettled: () => isCool(simulation),
    step: () => void simulation.tick(),
    places: () => placesOf(simulation),
  }
}

/** Lays out groups of files first. The files then start near their final positions and need few steps. */
function layOutMany({ count, edges }: Shape): Layout {
  const { linked, alone } = withoutLinks(count, edges)
  const numbers = new Uint32Array(count)
  linked.forEach((file, nth) => (numbers[file] = nth))
  const levels = levelsOf({ count: linked.length, edges: edges.map((end) => numbers[end]!) })
  let finest = levels.length - 1
  let simulation = simulateLevel(levels[finest]!, inDisc(levels[finest]!), COOLING.coarsest)

  return {
    isSettled: () => finest === 0 && isCool(simulation),
    step: () => {
      if (isCool(simulation) && finest > 0) {
        const level = levels[--finest]!
        simulation = simulateLevel(level, aroundGroups(level, placesOf(simulation)), COOLING.finer)
      }
      simulation.tick()
    },
    places: () => {
      const coarser = levels.slice(0, finest)
      const inside = coarser.reduceRight((places, level) => aroundGroups(level, places), placesOf(simulation))
      const outside = ringsAround(inside, alone.length)
      const places = new Float32Array(2 * count)
      linked.forEach((file, nth) => places.set(inside.subarray(2 * nth, 2 * nth + 2), 2 * file))
      alone.forEach((file, nth) => places.set(outside.subarray(2 * nth, 2 * nth + 2), 2 * file))
      return places
    },
  }
}

/** The files that have links, and those that have none. */
function withoutLinks(count: number, edges: Uint32Array): { linked: number[]; alone: number[] } {
  const isLinked = new Uint8Array(count)
  for (const end of edges) isLinked[end] = 1
  const linked: number[] = []
  const alone: number[] = []
  isLinked.forEach((is, file) => void (is === 1 ? linked : alone).push(file))
  return { linked, alone }
}

type Cooling = { from: number; to: number; steps: number }

/** Simulates one level. A place has the width and the strength of all the files that it stands for. */
function simulateLevel({ count, edges, masses }: Level, places: Float32Array, cooling: Cooling) {
  const nodes = Array.from({ length: count }, (_, at) => ({ x: places[2 * at]!, y: places[2 * at + 1]! }))
  const widthOf = (at: number) => Math.sqrt(masses[at]!)
  const strengths = Float64Array.from(masses, (mass) => PUSH * mass)
  return simulate({ nodes, edges, widthOf, pull: 0.1 }, cooling).force(
    'apart',
    pushApart({ strengths, coarseFrom: 0.8 }),
  )
}

type Simulated = { nodes: SimulationNodeDatum[]; edges: Uint32Array; pull?: number; widthOf?: (at: number) => number }

function simulate({ nodes, edges, pull = 0.04, widthOf = () => 1 }: Simulated, { from, to, steps }: Cooling) {
  const links = Array.from({ length: edges.length / 2 }, (_, at) => ({
    source: edges[2 * at]!,
    target: edges[2 * at + 1]!,
  }))
  const lengthOf = (at: number) => (LINK_LENGTH * (widthOf(edges[2 * at]!) + widthOf(edges[2 * at + 1]!))) / 2
  return (
    forceSimulation(nodes)
      .stop()
      .alpha(from)
      .alphaMin(to)
      .alphaDecay(1 - (to / from) ** (1 / steps))
      .force(
        'link',
        forceLink(links).distance((_, at) => lengthOf(at)),
      )
      // Keeps files without a link near the others.
      .force('across', forceX(0).strength(pull))
      .force('down', forceY(0).strength(pull))
  )
}

type Running = Simulation<SimulationNodeDatum, undefined>

const isCool = (simulation: Running): boolean => simulation.alpha() < simulation.alphaMin()

function placesOf(simulation: Running): Float32Array {
  const nodes = simulation.nodes()
  const places = new Float32Array(2 * nodes.length)
  nodes.forEach(({ x = 0, y = 0 }, at) => places.set([x, y], 2 * at))
  return places
}
