export type Picture = { svg: string; width: number; height: number }
export type ReadAnswer =
  | { kind: 'ready' }
  | { kind: 'picture'; id: number; picture: Picture }
  | { kind: 'problem'; id: number; problem: string }

const MAX_SVG = 5_000_000
const MAX_SIDE = 20_000
const MAX_PROBLEM = 500

/**
 * The message of the diagram frame, or undefined. A hostile diagram may control the frame, so the message is untrusted.
 * Pure.
 */
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
