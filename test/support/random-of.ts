/**
 * Random numbers that depend only on a seed: each call returns a whole number from 0 up to, but not including, the
 * given one.
 */
export function randomOf(seed: number): (below: number) => number {
  let state = seed * 2654435761
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0
    return Math.floor(((state >>> 0) / 2 ** 32) * below)
  }
}
