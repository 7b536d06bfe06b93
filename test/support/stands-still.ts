/**
 * Waits until a number stays the same during a row of round trips that pass the same event loop or process as what
 * changes it. However busy the machine is, what can still change it gets its turns in between.
 */
export async function standsStill(read: () => number, roundTrip: () => Promise<unknown>): Promise<void> {
  for (let trips = 0, last = read(); trips < TRIPS; trips += 1) {
    await roundTrip()
    if (read() !== last) trips = 0
    last = read()
  }
}
const TRIPS = 30
