import { globSync } from 'node:fs'
import { basename } from 'node:path'
import type { FuzzTarget } from './fuzz.ts'

const folder = new URL('../fuzz/', import.meta.url)

/** The names of all targets: `test/fuzz/<name>.fuzz.ts` exports `target`. */
export const fuzzTargetNames = globSync('*.fuzz.ts', { cwd: folder })
  .map((file) => basename(file, '.fuzz.ts'))
  .toSorted()

/** Loads a target by name. */
export async function fuzzTarget(name: string): Promise<FuzzTarget> {
  const { target } = (await import(new URL(`${name}.fuzz.ts`, folder).href)) as { target: FuzzTarget }
  return target
}
