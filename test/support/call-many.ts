type Run = {
  calls: number
  /** The number of calls in flight at the same time. */
  atOnce: number
  /** The name of the run in its reports. */
  name: string
}

/** Short runs print nothing. */
const REPORT_EVERY = 2_000

/**
 * Makes many calls, some of them in flight at the same time, and reports the progress now and then. Stops after a
 * failure. Calls start in the order of their numbers, so their content can come from one random source.
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
