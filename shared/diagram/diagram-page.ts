/** The page that draws Mermaid diagrams, in a frame of its own. */
export const DIAGRAM_PATH = '/_svc/diagram'
/** Where the script of the page is; its name ends in a hash of its content. */
export const DIAGRAM_SCRIPTS = '/_svc/diagram/'

/**
 * What the page may do: run its own script and nothing else. The sandbox removes its origin, so that a diagram that
 * exploits the library reaches no cookie, no storage and no note.
 */
export const diagramPolicy = [
  'sandbox allow-scripts',
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'", // the library writes its styles into the drawing
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ')

/** The page; `script` is the file name of the built script. */
export function diagramPage(script: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Diagram</title></head><body><script src="${DIAGRAM_SCRIPTS}${script}"></script></body></html>\n`
}

/** What the frame should draw. */
export type DiagramWish = { id: number; text: string; colours: DiagramColours }

/** Colours as CSS writes them; `dark` tells on which background the drawing is shown. */
export type DiagramColours = {
  dark: boolean
  paper: string
  ink: string
  quiet: string
  line: string
  fill: string
  accent: string
}

/** The messages of the frame. `ready` comes once, when the library is loaded. */
export type DiagramAnswer =
  { ready: true } | { id: number; svg: string; width: number; height: number } | { id: number; problem: string }

/** True for a path of the page or of its script, in this build or in another. */
export const isDiagramPath = (target: string): boolean => target === DIAGRAM_PATH || target.startsWith(DIAGRAM_SCRIPTS)
