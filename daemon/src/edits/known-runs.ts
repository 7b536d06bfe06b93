import type { LineRun, LineRuns } from './line-runs.ts'

/**
 * Runs as pairs of numbers, the lines and their value: a list of small objects takes many times the memory, and as much
 * more time to cross to another thread.
 */
export type PackedRuns = Int32Array

export function packRuns(runs: LineRuns<number>): PackedRuns {
  const packed = new Int32Array(2 * runs.length)
  for (const [index, { lines, by }] of runs.entries()) packed.set([lines, by], 2 * index)
  return packed
}

export function unpackRuns(packed: PackedRuns): LineRun<number>[] {
  return Array.from({ length: packed.length / 2 }, (_, index) => ({
    lines: packed[2 * index]!,
    by: packed[2 * index + 1]!,
  }))
}

/** The runs of earlier texts by their names, the oldest first. */
export type KnownRuns = [content: string, runs: PackedRuns][]

// A note that returns to a text that is no longer known counts as newly written.
const MAX_TEXTS = 200
const MAX_NUMBERS = 100_000

/** Remembers the runs of texts; the oldest make room. */
export function rememberRuns(base: KnownRuns) {
  const known = new Map(base)
  let numbers = base.reduce((sum, [, { length }]) => sum + length, 0)

  const forget = (content: string): void => {
    numbers -= known.get(content)?.length ?? 0
    known.delete(content)
  }
  return {
    find(content: string): LineRun<number>[] | undefined {
      const packed = known.get(content)
      return packed && unpackRuns(packed)
    },
    put(content: string, runs: LineRuns<number>): void {
      forget(content)
      const packed = packRuns(runs)
      known.set(content, packed)
      numbers += packed.length
      while (known.size > MAX_TEXTS || numbers > MAX_NUMBERS) forget(known.keys().next().value!)
    },
    all: (): KnownRuns => [...known],
  }
}
