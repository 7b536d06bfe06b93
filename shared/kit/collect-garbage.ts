import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options: { type: 'minor' | 'major' } | { type: 'major'; flavor: 'last-resort' }) => void

/**
 * Collects garbage now. A young collection takes about a millisecond; the last resort returns all free memory to the
 * system.
 */
export const collectGarbage = exposeCollector()

/** The collector of `--expose-gc`, without exposing it to scripts. */
function exposeCollector(): Collect {
  setFlagsFromString('--expose-gc')
  const collector = runInNewContext('gc') as Collect
  setFlagsFromString('--no-expose-gc')
  return collector
}
