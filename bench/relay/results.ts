import { spread } from '../rounds.ts'

/** The results of one turn of a contender, by measurement. */
export type Turn = Record<string, number>

/** The turns of all rounds, by contender. */
export type Results = {
  add(contender: string, turn: Turn): void
  /** Median over the rounds; NaN for what was not measured. */
  median(contender: string, measure: string): number
  /** The median of one contender divided by that of another. */
  ratio(measure: string, contender: string, other: string): number
  measures(contender: string): string[]
}

export function createResults(): Results {
  const turns = new Map<string, Turn[]>()
  const of = (contender: string) => turns.get(contender) ?? []
  const median: Results['median'] = (contender, measure) =>
    spread(of(contender).flatMap((turn) => turn[measure] ?? [])).median
  return {
    add: (contender, turn) => void turns.set(contender, [...of(contender), turn]),
    median,
    ratio: (measure, contender, other) => median(contender, measure) / median(other, measure),
    measures: (contender) => [...new Set(of(contender).flatMap((turn) => Object.keys(turn)))],
  }
}
