import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { collectGarbage } from '@svc/shared/kit/collect-garbage.ts'

type Collection = Parameters<typeof collectGarbage>[0]

// Earlier versions print an error for a flag that they do not know.
const CAN_FORGET = Number.parseInt(process.versions.v8) >= 13
// V8's default.
const KEPT_FOR_COLLECTIONS = 6

/**
 * Returns all free memory to the system, in two collections in two turns of the event loop: the last-resort one scans the
 * heap several times, so a normal one removes most garbage before it.
 */
export async function returnMemory(): Promise<void> {
  collect({ type: 'major' })
  await setImmediate()
  collect({ type: 'major', flavor: 'last-resort' })
}

/**
 * A collection that also frees the bytecode of functions that did not run since the one before, as those that only a start
 * runs: 1 MB. V8 would keep it for six collections. The flag is set for the collection alone, because the compile cache is
 * valid for the flags under which it was written.
 */
function collect(options: Collection): void {
  if (CAN_FORGET) setFlagsFromString('--bytecode-old-age=1')
  collectGarbage(options)
  if (CAN_FORGET) setFlagsFromString(`--bytecode-old-age=${KEPT_FOR_COLLECTIONS}`)
}
