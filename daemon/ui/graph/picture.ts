import type { Camera, Size } from './camera.ts'
import type { Graph } from './graph.ts'
import type { GraphColours } from './graph-colours.ts'

/** Everything that a picture of a graph shows. Positions of files are x and y in turn. */
export type Picture = {
  graph: Graph
  places: Float32Array
  camera: Camera
  size: Size
  colours: GraphColours
  /** The file under the pointer or chosen by key, and those that share a link with it. */
  marked: number | undefined
  near: ReadonlySet<number>
  /** The files that the reader searches for; undefined without a search. */
  found: ReadonlySet<number> | undefined
  /** The files that an agent changed since they were last read. */
  byAgents: ReadonlySet<number>
}

/** The size of a file in pixels: larger with more links, smaller from afar. */
export const radiusOf = (links: number, scale: number): number =>
  Math.max(1.2, (3 + Math.min(7, 1.4 * Math.sqrt(links))) * Math.min(1.4, Math.sqrt(scale)))

/** Whether a file is dimmed because others are marked or searched for. */
export function isFaint({ marked, near, found }: Picture, at: number): boolean {
  if (found !== undefined) return !found.has(at) && at !== marked
  return marked !== undefined && at !== marked && !near.has(at)
}
