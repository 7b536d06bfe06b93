type Run = {
  calls: number
  /** As many calls are in flight at once. */
  atOnce: number
  /** Names the run in what it prints. */
  name: string
}

/** Short runs print nothing. */
const REPORT_EVERY = 2_000

/**
 * Makes many calls with some of them in flight at once, and says now and then how far it is. Stops after a failure. Calls
 * begin in the order of their numbers, so what they send can come from one random source.
 */
export async function callMany({ calls, atOnce, name }: Run, call: (at: number) => Promise<void>): Promise<void> {
  let begun = 0
  let done = 0
  let failed = false
  const caller = async () => {
    while (begun < calls && !failed) {
      try {
        await call(begun++)
      } catch (error) {
        failed = true
        throw error
      }
      done++
      if (done % REPORT_EVERY === 0) console.log(`${name}: ${done} of ${calls} calls`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, caller))
}
