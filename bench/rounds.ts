/** Median, lowest and highest of some measurements. */
export type Spread = { median: number; min: number; max: number }

/** Sorts a non-empty list of measurements. */
export function spread(values: number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  return { median: quantile(sorted, 0.5), min: sorted[0] ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN }
}

/** The value below which that share of a sorted list lies. */
export function quantile(sorted: number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/**
 * Measures contenders alternately, so that a noisy minute affects all of them, and returns the measurements of each.
 * The first round is a warm-up and is not counted.
 */
export async function alternate<Name extends string>(
  contenders: Record<Name, () => Promise<number>>,
  rounds: number,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(contenders) as Name[]
  const results = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>
  for (let round = 0; round <= rounds; round++)
    for (const name of names) {
      const value = await contenders[name]()
      if (round > 0) results[name].push(value)
    }
  return results
}

/** Prints a Markdown table, ready to be pasted into a document. */
export function printTable(headings: string[], rows: (string | number)[][]): void {
  const line = (cells: (string | number)[]) => `| ${cells.join(' | ')} |`
  console.log([line(headings), line(headings.map(() => '---')), ...rows.map(line)].join('\n'))
}
