import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options: { type: 'minor' | 'major' } | { type: 'major'; flavor: 'last-resort' }) => void

let collector: Collect | undefined

/**
 * Collects garbage now. A young collection takes about a millisecond; the last resort returns all free memory to the
 * system. The first call takes some milliseconds more.
 */
export const collectGarbage: Collect = (options) => {
  collector ??= exposeCollector()
  collector(options)
}

/** The collector of `--expose-gc`, without exposing it to scripts. */
function exposeCollector(): Collect {
  setFlagsFromString('--expose-gc')
  const exposed = runInNewContext('gc') as Collect
  setFlagsFromString('--no-expose-gc')
  return exposed
}
