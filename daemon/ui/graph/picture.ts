import type { Camera, Size } from './camera.ts'
import type { Graph } from './graph.ts'
import type { GraphColours } from './graph-colours.ts'

/**
 * What a picture shows of each file of a graph, and the links as pairs of indexes. Typed arrays are cheap to send to a
 * worker.
 */
export type Dots = { links: Uint32Array; isNote: Uint8Array; edges: Uint32Array }

const known = new WeakMap<Graph, Dots>()

/** The dots of a graph. Returns the same object for the same graph. */
export function dotsOf(graph: Graph): Dots {
  const { nodes, edges } = graph
  const dots = known.get(graph) ?? {
    links: Uint32Array.from(nodes, ({ links }) => links),
    isNote: Uint8Array.from(nodes, ({ kind }) => Number(kind === 'note')),
    edges,
  }
  known.set(graph, dots)
  return dots
}

/** Everything that a picture of a graph shows. Positions of files are x and y in turn. */
export type Picture = {
  dots: Dots
  places: Float32Array
  camera: Camera
  /** `ratio` is the number of device pixels per CSS pixel. */
  size: Size & { ratio: number }
  colours: GraphColours
  /** The file under the pointer or chosen by key, and the files that share a link with it. */
  marked: number | undefined
  near: ReadonlySet<number>
  /** The files that the reader searches for; undefined without a search. */
  found: ReadonlySet<number> | undefined
  /** The files that an agent changed since they were last read. */
  byAgents: ReadonlySet<number>
}

/** A picture together with its graph, which has the names of the files. */
export type NamedPicture = Picture & { graph: Graph }

/** The size of a file in pixels: larger with more links, smaller from afar. */
export const radiusOf = (links: number, scale: number): number =>
  Math.max(0.8, (3 + Math.min(7, 1.4 * Math.sqrt(links))) * Math.min(1.4, scale ** 0.7))

/** Whether a file is dimmed because others are marked or searched for. */
export function isFaint({ marked, near, found }: Picture, at: number): boolean {
  if (found !== undefined) return !found.has(at) && at !== marked
  return marked !== undefined && at !== marked && !near.has(at)
}

/** A visible file and where it is drawn. */
export type Spot = { at: number; x: number; y: number; radius: number }

/** Where a file is drawn, if it is in sight. */
export function spotOf({ dots, places, camera, size }: Picture, at: number): Spot | undefined {
  const x = (places[2 * at]! - camera.x) * camera.scale + size.width / 2
  const y = (places[2 * at + 1]! - camera.y) * camera.scale + size.height / 2
  const radius = radiusOf(dots.links[at]!, camera.scale)
  const isIn = x > -radius && y > -radius && x < size.width + radius && y < size.height + radius
  return isIn ? { at, x, y, radius } : undefined
}

/** The visible files, the most linked first. */
export function inSight(picture: Picture): Spot[] {
  const spots: Spot[] = []
  for (let at = 0; at < picture.dots.links.length; at++) {
    const spot = spotOf(picture, at)
    if (spot) spots.push(spot)
  }
  return spots.sort((one, other) => other.radius - one.radius)
}
