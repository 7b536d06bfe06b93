import type { GraphPage } from '../api/link-calls.ts'
import { plainTitle } from '../plain-line/plain-line.ts'

/** One file of the graph. `links` counts the files that it shares a link with, in either direction. */
export type GraphNode = { path: string; kind: 'note' | 'attachment'; title: string; links: number }

/**
 * Files and the links between them. `edges` holds pairs of indexes into `nodes`; links in both directions between two
 * files are one pair. `partial` means that the daemon could not look at everything.
 */
export type Graph = { nodes: readonly GraphNode[]; edges: Uint32Array; partial: boolean }

/** Joins the pages of a response to one graph. A file may be on several pages, as a note and as the target of one. */
export function joinPages(pages: readonly Pick<GraphPage, 'nodes' | 'edges' | 'partial'>[]): Graph {
  const nodes: GraphNode[] = []
  const places = new Map<string, number>()
  for (const page of pages)
    for (const { path, kind, title } of page.nodes) {
      if (places.has(path)) continue
      places.set(path, nodes.length)
      nodes.push({ path, kind, title: title === undefined ? path.split('/').at(-1)! : plainTitle(title), links: 0 })
    }

  const pairs: number[] = []
  const known = new Set<number>()
  for (const page of pages)
    for (const { from, to } of page.edges) {
      const [one, other] = [places.get(from), places.get(to)]
      if (one === undefined || other === undefined || one === other) continue
      const key = Math.min(one, other) * nodes.length + Math.max(one, other)
      if (known.has(key)) continue
      known.add(key)
      pairs.push(one, other)
      nodes[one]!.links++
      nodes[other]!.links++
    }
  return { nodes, edges: Uint32Array.from(pairs), partial: pages.some(({ partial }) => partial) }
}

/** The files that the reader leaves out of the picture. */
export type LeftOut = { attachments: boolean; alone: boolean }

/** The graph without its attachments or without files that have no link. */
export function leaveOut(graph: Graph, left: LeftOut): Graph {
  const { nodes, edges, partial } = graph
  if (!left.attachments && !left.alone) return graph
  const isKept = ({ kind, links }: GraphNode) => (kind === 'note' || !left.attachments) && (links > 0 || !left.alone)
  const places = new Map<number, number>()
  const kept: GraphNode[] = []
  nodes.forEach((node, at) => {
    if (!isKept(node)) return
    places.set(at, kept.length)
    kept.push(node)
  })
  const pairs: number[] = []
  for (let at = 0; at < edges.length; at += 2) {
    const [one, other] = [places.get(edges[at]!), places.get(edges[at + 1]!)]
    if (one !== undefined && other !== undefined) pairs.push(one, other)
  }
  return { nodes: kept, edges: Uint32Array.from(pairs), partial }
}

/** The indexes of the files that share a link with one. */
export function neighboursOf({ edges }: Pick<Graph, 'edges'>, place: number): Set<number> {
  const found = new Set<number>()
  for (let at = 0; at < edges.length; at += 2) {
    if (edges[at] === place) found.add(edges[at + 1]!)
    else if (edges[at + 1] === place) found.add(edges[at]!)
  }
  return found
}
