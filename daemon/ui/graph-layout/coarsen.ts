/** A graph as its number of places, and its links as pairs of indexes of places. */
export type Shape = { count: number; edges: Uint32Array }

/**
 * One level of a coarsened graph. `masses` has the number of files that each place stands for; `groups` has the index
 * of each place's group, which is a place of the next level.
 */
export type Level = Shape & { masses: Uint32Array; groups?: Uint32Array }

/** A level with at most this many places is coarse enough: laying it out takes almost no time. */
const SMALL = 150
/** The most places in one group. */
const MOST = 4
/** Coarsening ends when the next level would have more than this share of the places of the current one. */
const LEAST_GAIN = 0.9
const NONE = 0xffffffff

/**
 * The graph as a list of coarser and coarser levels, the graph itself first. Linked places are joined, and so are
 * places with a common neighbour. A coarser level gives the next finer one its rough positions. Takes time linear in
 * the links of each level. Pure.
 */
export function levelsOf({ count, edges }: Shape): Level[] {
  const levels: Level[] = [{ count, edges, masses: new Uint32Array(count).fill(1) }]
  for (;;) {
    const finest = levels.at(-1)!
    if (finest.count <= SMALL) return levels
    const { groups, count: joined } = grouped(finest)
    if (joined > finest.count * LEAST_GAIN) return levels
    const masses = new Uint32Array(joined)
    groups.forEach((group, at) => (masses[group]! += finest.masses[at]!))
    finest.groups = groups
    levels.push({ count: joined, edges: linksBetween(groups, finest.edges), masses })
  }
}

/** The neighbours of all places in one array: those of place `n` are from `starts[n]` to `starts[n + 1]`. */
function neighboursIn({ count, edges }: Shape) {
  const starts = new Uint32Array(count + 1)
  for (const end of edges) starts[end + 1]!++
  for (let at = 0; at < count; at++) starts[at + 1]! += starts[at]!
  const filled = starts.slice()
  const neighbours = new Uint32Array(edges.length)
  for (let at = 0; at < edges.length; at++) neighbours[filled[edges[at]!]!++] = edges[at ^ 1]!
  return { starts, neighbours }
}

/** Joins places into groups. Places with few links choose first, and prefer neighbours with few links. */
function grouped(level: Level): { groups: Uint32Array; count: number } {
  const { count } = level
  const { starts, neighbours } = neighboursIn(level)
  const linksOf = (at: number) => starts[at + 1]! - starts[at]!
  const groups = new Uint32Array(count).fill(NONE)
  const sizes: number[] = []
  // For each place, the last group of neighbours that could not join it because its group was full.
  const besides = new Uint32Array(count).fill(NONE)
  const begin = () => sizes.push(0) - 1
  const join = (at: number, group: number) => {
    groups[at] = group
    sizes[group]!++
  }
  const isFull = (group: number) => group === NONE || sizes[group]! >= MOST

  const order = [...groups.keys()].sort((one, other) => linksOf(one) - linksOf(other))
  for (const at of order) {
    if (groups[at] !== NONE) continue
    let [chosen, nearest] = [NONE, NONE]
    for (let place = starts[at]!; place < starts[at + 1]!; place++) {
      const other = neighbours[place]!
      if (nearest === NONE || linksOf(other) < linksOf(nearest)) nearest = other
      const hasRoom = groups[other] === NONE || !isFull(groups[other]!)
      if (hasRoom && (chosen === NONE || linksOf(other) < linksOf(chosen))) chosen = other
    }
    if (chosen !== NONE) {
      if (groups[chosen] === NONE) join(chosen, begin())
      join(at, groups[chosen]!)
    } else if (nearest === NONE) join(at, begin())
    else {
      if (isFull(besides[nearest]!)) besides[nearest] = begin()
      join(at, besides[nearest]!)
    }
  }
  return { groups, count: sizes.length }
}

/** The links between groups, each pair once. */
function linksBetween(groups: Uint32Array, edges: Uint32Array): Uint32Array {
  const known = new Set<number>()
  const pairs: number[] = []
  for (let at = 0; at < edges.length; at += 2) {
    const [one, other] = [groups[edges[at]!]!, groups[edges[at + 1]!]!]
    const key = Math.min(one, other) * groups.length + Math.max(one, other)
    if (one === other || known.has(key)) continue
    known.add(key)
    pairs.push(one, other)
  }
  return Uint32Array.from(pairs)
}
