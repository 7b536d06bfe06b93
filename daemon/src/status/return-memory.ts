import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { collectGarbage } from '@svc/shared/kit/collect-garbage.ts'

type Collection = Parameters<typeof collectGarbage>[0]

/** What happens to compiled code when memory is returned. */
export type CompiledCode = 'kept' | 'forgotten'

// Free the code of functions that did not run since the collection before. By default, V8 keeps bytecode for six
// collections, and what its baseline compiler made of it forever.
const FORGETTING = ['--bytecode-old-age=1', '--flush-baseline-code']
const BY_DEFAULT = ['--bytecode-old-age=6', '--no-flush-baseline-code']
// Earlier versions print an error for a flag that they do not know.
const CAN_FORGET = Number.parseInt(process.versions.v8) >= 13

/**
 * Returns all free memory to the system, in two collections in two turns of the event loop: the last-resort one scans the
 * heap several times, so a normal one removes most garbage before it. Forgotten is the code that did not run between the
 * two, as what a start or a new index needed: 2 MB.
 */
export async function returnMemory(code: CompiledCode): Promise<void> {
  const collect = code === 'forgotten' && CAN_FORGET ? collectForgetting : collectGarbage
  collect({ type: 'major' })
  await setImmediate()
  collect({ type: 'major', flavor: 'last-resort' })
}

/**
 * The flags are set for the collection alone, because the compile cache is valid for the flags under which it was
 * written.
 */
function collectForgetting(options: Collection): void {
  for (const flag of FORGETTING) setFlagsFromString(flag)
  collectGarbage(options)
  for (const flag of BY_DEFAULT) setFlagsFromString(flag)
}
