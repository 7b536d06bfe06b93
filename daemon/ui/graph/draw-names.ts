import type { Graph } from './graph.ts'
import { isFaint, spotOf, type NamedPicture, type Spot } from './picture.ts'

/** Up to this many visible files are all named; otherwise only those with the most links. */
const NAME_ALL = 60
const NAME_SOME = 16
const LONGEST = 36

type Box = { left: number; top: number; right: number; bottom: number }

const orders = new WeakMap<Graph, readonly number[]>()

/** The indexes of the files of a graph, those with the most links first. */
function orderOf(graph: Graph): readonly number[] {
  const known = orders.get(graph)
  if (known) return known
  const order = [...graph.nodes.keys()].sort((one, other) => graph.nodes[other]!.links - graph.nodes[one]!.links)
  orders.set(graph, order)
  return order
}

/** The files to name. Stops searching as soon as there are too many files to name all of them. */
function toName(picture: NamedPicture): Spot[] {
  const { graph, marked, near } = picture
  const wished: Spot[] = []
  for (const at of orderOf(graph)) {
    if (at === marked || (marked !== undefined && !near.has(at)) || isFaint(picture, at)) continue
    const spot = spotOf(picture, at)
    if (spot) wished.push(spot)
    if (wished.length > NAME_ALL) break
  }
  const chosen = marked === undefined ? undefined : spotOf(picture, marked)
  return [...(chosen ? [chosen] : []), ...(wished.length > NAME_ALL ? wished.slice(0, NAME_SOME) : wished)]
}

/** Writes names under files, the most linked first, without overlaps. The marked file is always named. */
export function drawNames(context: CanvasRenderingContext2D, picture: NamedPicture): void {
  const { graph, marked, colours } = picture
  const taken: Box[] = []
  context.textAlign = 'center'
  context.textBaseline = 'top'
  context.lineJoin = 'round'
  for (const { at, x, y, radius } of toName(picture)) {
    const name = shortened(graph.nodes[at]!.title)
    context.font = `${at === marked ? 600 : 400} 12px 'Atkinson Hyperlegible Next Variable', system-ui, sans-serif`
    const half = context.measureText(name).width / 2
    const box = { left: x - half, right: x + half, top: y + radius + 3, bottom: y + radius + 17 }
    if (taken.some((other) => overlaps(box, other))) continue
    taken.push(box)
    context.strokeStyle = colours.paper
    context.lineWidth = 3
    context.strokeText(name, x, box.top)
    context.fillStyle = colours.ink
    context.fillText(name, x, box.top)
  }
}

const shortened = (name: string) => {
  const letters = [...name]
  return letters.length <= LONGEST ? name : `${letters.slice(0, LONGEST - 1).join('')}…`
}

const overlaps = (one: Box, other: Box) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom
