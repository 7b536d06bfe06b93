import type { GraphColours } from './graph-colours.ts'
import { isFaint, type Picture, type Spot } from './picture.ts'

/** A circle with a smaller radius looks like a square, and a square is faster to draw. */
const ROUND_FROM = 2
const FAINT = 0.25

type Context = OffscreenCanvasRenderingContext2D

/** Draws the visible files. */
export function drawFiles(context: Context, picture: Picture, spots: readonly Spot[]): void {
  const { colours, byAgents, dots, marked } = picture
  const clear = spots.filter(({ at }) => !isFaint(picture, at))
  const faint = spots.filter(({ at }) => isFaint(picture, at))
  const isNote = ({ at }: Spot) => dots.isNote[at] === 1
  const isAgents = ({ at }: Spot) => byAgents.has(at)

  for (const [group, alpha] of [
    [faint, FAINT],
    [clear, 1],
  ] as const) {
    context.globalAlpha = alpha
    context.fillStyle = colours.quiet
    fillRound(
      context,
      group.filter((spot) => isNote(spot) && !isAgents(spot)),
    )
    context.strokeStyle = colours.quiet
    for (const spot of group.filter((spot) => !isNote(spot))) ring(context, spot)
    const byAgent = group.filter(isAgents)
    if (byAgent.length > 0) hatched(context, byAgent, colours)
  }
  context.globalAlpha = 1
  const chosen = spots.find(({ at }) => at === marked)
  if (chosen) {
    context.fillStyle = colours.link
    fillRound(context, [{ ...chosen, radius: chosen.radius + 1.5 }])
  }
}

function fillRound(context: Context, spots: readonly Spot[]) {
  context.beginPath()
  for (const { x, y, radius } of spots) {
    if (radius < ROUND_FROM) {
      context.rect(x - radius, y - radius, 2 * radius, 2 * radius)
      continue
    }
    context.moveTo(x + radius, y)
    context.arc(x, y, radius, 0, 2 * Math.PI)
  }
  context.fill()
}

function ring(context: Context, { x, y, radius }: Spot) {
  context.lineWidth = 1.2
  context.beginPath()
  context.arc(x, y, radius, 0, 2 * Math.PI)
  context.stroke()
}

/** The squares of agents, hatched. */
function hatched(context: Context, spots: readonly Spot[], { pencil, paper }: GraphColours) {
  context.strokeStyle = pencil
  context.lineWidth = 1.2
  for (const fill of [paper, hatch(context, pencil)]) {
    context.fillStyle = fill
    for (const { x, y, radius } of spots) context.fillRect(x - radius, y - radius, 2 * radius, 2 * radius)
  }
  for (const { x, y, radius } of spots) context.strokeRect(x - radius, y - radius, 2 * radius, 2 * radius)
}

function hatch(context: Context, pencil: string): CanvasPattern | string {
  const tile = new OffscreenCanvas(4, 4)
  const drawn = tile.getContext('2d')!
  drawn.strokeStyle = pencil
  drawn.lineWidth = 1.2
  for (const shift of [-4, 0, 4]) {
    drawn.moveTo(shift, 4)
    drawn.lineTo(shift + 4, 0)
  }
  drawn.stroke()
  return context.createPattern(tile, 'repeat') ?? pencil
}
