import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options: { type: 'minor' } | { type: 'major'; flavor: 'last-resort' }) => void

/** Collects garbage now. Young garbage takes about a millisecond; the last resort gives all free memory back. */
export const collectGarbage = exposeCollector()

/** The collector that `--expose-gc` shows to scripts, without showing it to any. */
function exposeCollector(): Collect {
  setFlagsFromString('--expose-gc')
  const collector = runInNewContext('gc') as Collect
  setFlagsFromString('--no-expose-gc')
  return collector
}
