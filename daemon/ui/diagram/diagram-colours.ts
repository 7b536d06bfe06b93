import type { DiagramColours } from '@svc/shared/diagram/diagram-page.ts'

/** The colours of the page as they are now, in a form that the drawing library reads. */
export function diagramColours(): DiagramColours {
  const paper = plain('--paper')
  return {
    dark: brightness(paper) < 128,
    paper,
    ink: plain('--ink'),
    quiet: plain('--ink-quiet'),
    line: plain('--edge'),
    fill: plain('--blue-wash'),
    accent: plain('--blue'),
  }
}

// The library knows neither oklch() nor custom properties, so a canvas turns the colour into red, green and blue.
function plain(token: string): string {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d')!
  canvas.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(token)
  canvas.fillRect(0, 0, 1, 1)
  const [red = 0, green = 0, blue = 0] = canvas.getImageData(0, 0, 1, 1).data
  return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('')}`
}

const brightness = (hex: string) => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))
  return 0.299 * red + 0.587 * green + 0.114 * blue
}
