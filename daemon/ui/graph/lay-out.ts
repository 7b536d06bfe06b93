import {
  forceCollide,
  forceLink,
  forceManyBody,
  forceSimulation,
  forceX,
  forceY,
  type SimulationNodeDatum,
} from 'd3-force'

/** The size of a graph and its links, as pairs of indexes. */
export type Shape = { count: number; edges: Uint32Array }

/** From this size on the layout takes fewer steps, and approximates distant files more coarsely. */
const LARGE = 2000
const LINK_LENGTH = 36

/**
 * Computes positions for the files of a graph, step by step. It always ends, and the same graph gets the same picture.
 */
export function layOut({ count, edges }: Shape) {
  const isLarge = count > LARGE
  const nodes: SimulationNodeDatum[] = Array.from({ length: count }, () => ({}))
  const links = Array.from({ length: edges.length / 2 }, (_, at) => ({
    source: edges[2 * at]!,
    target: edges[2 * at + 1]!,
  }))
  const simulation = forceSimulation(nodes)
    .stop()
    .alphaDecay(1 - 0.001 ** (1 / (isLarge ? 120 : 300)))
    .force('link', forceLink(links).distance(LINK_LENGTH))
    .force(
      'apart',
      forceManyBody()
        .strength(-60)
        .theta(isLarge ? 1.2 : 0.9)
        .distanceMax(800),
    )
    // Keeps files without a link near the others.
    .force('across', forceX(0).strength(0.04))
    .force('down', forceY(0).strength(0.04))
  if (!isLarge) simulation.force('room', forceCollide(9))

  return {
    isSettled: () => simulation.alpha() < simulation.alphaMin(),
    step: () => void simulation.tick(),
    /** All positions, x and y in turn. */
    places: () => {
      const places = new Float32Array(2 * count)
      nodes.forEach(({ x = 0, y = 0 }, at) => places.set([x, y], 2 * at))
      return places
    },
  }
}
