import type { Spot } from './draw-files.ts'
import { isFaint, type Picture } from './picture.ts'

/** Up to this many visible files are all named; of more, only the most linked ones. */
const NAME_ALL = 60
const NAME_SOME = 16
const LONGEST = 36

type Box = { left: number; top: number; right: number; bottom: number }

/** Writes names under files, the most linked first, without overlaps. The marked file is always named. */
export function drawNames(context: CanvasRenderingContext2D, picture: Picture, spots: readonly Spot[]): void {
  const { graph, marked, near, colours } = picture
  const clear = spots.filter(({ at }) => !isFaint(picture, at) && at !== marked)
  const wished = marked === undefined ? clear : clear.filter(({ at }) => near.has(at))
  const chosen = spots.filter(({ at }) => at === marked)
  const named = [...chosen, ...wished.slice(0, wished.length <= NAME_ALL ? NAME_ALL : NAME_SOME)]

  const taken: Box[] = []
  context.textAlign = 'center'
  context.textBaseline = 'top'
  context.lineJoin = 'round'
  for (const { at, x, y, radius } of named) {
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
