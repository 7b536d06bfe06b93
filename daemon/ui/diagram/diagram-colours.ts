import type { DiagramColours } from '@svc/shared/diagram/diagram-page.ts'
import { pageColour, type Ground } from '../app/page-colour.ts'

/** The current colours of the page in a form that the drawing library reads. */
export function diagramColours(ground: Ground): DiagramColours {
  const colour = (token: string) => pageColour(token, ground)
  const paper = colour('--paper')
  return {
    dark: brightness(paper) < 128,
    paper,
    ink: colour('--ink'),
    quiet: colour('--ink-quiet'),
    line: colour('--edge'),
    fill: colour('--blue-wash'),
    accent: colour('--blue'),
  }
}

const brightness = (hex: string) => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))
  return 0.299 * red + 0.587 * green + 0.114 * blue
}
