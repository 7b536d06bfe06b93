export type Picture = { svg: string; width: number; height: number }
export type ReadAnswer =
  | { kind: 'ready' }
  | { kind: 'picture'; id: number; picture: Picture }
  | { kind: 'problem'; id: number; problem: string }

const MAX_SVG = 5_000_000
const MAX_SIDE = 20_000
const MAX_PROBLEM = 500

/** What the diagram frame said, or undefined. A diagram may have taken the frame over, so nothing of it is believed. Pure. */
export function readDiagramAnswer(data: unknown): ReadAnswer | undefined {
  if (typeof data !== 'object' || data === null) return undefined
  const { ready, id, svg, width, height, problem } = data as Record<string, unknown>
  if (ready === true) return { kind: 'ready' }
  if (typeof id !== 'number') return undefined
  if (typeof problem === 'string') return { kind: 'problem', id, problem: problem.slice(0, MAX_PROBLEM) }
  if (typeof svg !== 'string' || svg.length > MAX_SVG || !isSide(width) || !isSide(height)) return undefined
  return { kind: 'picture', id, picture: { svg, width: Math.ceil(width), height: Math.ceil(height) } }
}

const isSide = (value: unknown): value is number => typeof value === 'number' && value > 0 && value <= MAX_SIDE
