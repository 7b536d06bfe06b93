import { boundsOf } from './bounds.ts'

/**
 * A quadtree over points. Each square is followed by the squares inside it; `next` is the first square after those. The
 * points of an undivided square are `order[first]` up to, not including, `order[end]`. `first` is -1 in a divided
 * square.
 */
export type Squares = {
  count: number
  order: Uint32Array
  first: Int32Array
  end: Int32Array
  next: Int32Array
  widths: Float64Array
  /** The total weight of the points in each square, and their centre of gravity, as alternating x and y. */
  weights: Float64Array
  middles: Float64Array
}

/** A square with at most this many points is not divided. */
const FEW = 4
const DEEPEST = 16
const SIDE = 2 ** DEEPEST
/**
 * A key is the Morton code of a point times this bound, plus the number of the point. The bound limits the number of
 * points.
 */
const MOST = 2 ** 20

/** Divides the square around points (alternating x and y) until each square has few points. Pure. */
export function squaresOf(points: Float64Array, weightOf: Float64Array): Squares {
  const total = weightOf.length
  const { left, top, width } = around(points)
  const keys = new Float64Array(total)
  const cell = (at: number, from: number) => Math.min(SIDE - 1, Math.floor(((at - from) / width) * SIDE))
  for (let at = 0; at < total; at++)
    keys[at] = interleaved(cell(points[2 * at]!, left), cell(points[2 * at + 1]!, top)) * MOST + at
  keys.sort()
  const codes = Float64Array.from(keys, (key) => Math.floor(key / MOST))
  const order = Uint32Array.from(keys, (key) => key % MOST)

  // Points that are close together would need very many squares. When this room is used up, squares are not divided any
  // more.
  const room = 4 * total + 64
  const squares: Squares = {
    count: 0,
    order,
    first: new Int32Array(room),
    end: new Int32Array(room),
    next: new Int32Array(room),
    widths: new Float64Array(room),
    weights: new Float64Array(room),
    middles: new Float64Array(2 * room),
  }
  const { first, end, next, widths, weights, middles } = squares

  function divide(from: number, to: number, depth: number): number {
    const square = squares.count++
    let [weight, x, y] = [0, 0, 0]
    const add = (more: number, atX: number, atY: number) => {
      weight += more
      x += more * atX
      y += more * atY
    }
    widths[square] = width / 2 ** depth
    const isWhole = to - from <= FEW || depth === DEEPEST || squares.count + 4 > room
    first[square] = isWhole ? from : -1
    end[square] = to
    if (isWhole)
      for (let at = from; at < to; at++)
        add(weightOf[order[at]!]!, points[2 * order[at]!]!, points[2 * order[at]! + 1]!)
    else {
      const side = 4 ** (DEEPEST - depth - 1)
      for (let start = from; start < to;) {
        const quarter = Math.floor(codes[start]! / side)
        let stop = start + 1
        while (stop < to && Math.floor(codes[stop]! / side) === quarter) stop++
        const part = divide(start, stop, depth + 1)
        add(weights[part]!, middles[2 * part]!, middles[2 * part + 1]!)
        start = stop
      }
    }
    weights[square] = weight
    middles[2 * square] = x / weight
    middles[2 * square + 1] = y / weight
    next[square] = squares.count
    return square
  }
  if (total > 0) divide(0, total, 0)
  return squares
}

function around(points: Float64Array) {
  const { left, top, right, bottom } = boundsOf(points)
  return { left, top, width: Math.max(right - left, bottom - top, 1e-6) }
}

/**
 * The Morton code of two 16-bit numbers: each pair of its bits names a quarter, from the largest square to the
 * smallest.
 */
const interleaved = (x: number, y: number): number => (spaced(x) | (spaced(y) << 1)) >>> 0

/** Inserts a zero before each bit of a 16-bit number. */
function spaced(bits: number): number {
  let wide = bits
  wide = (wide | (wide << 8)) & 0x00ff00ff
  wide = (wide | (wide << 4)) & 0x0f0f0f0f
  wide = (wide | (wide << 2)) & 0x33333333
  return (wide | (wide << 1)) & 0x55555555
}
