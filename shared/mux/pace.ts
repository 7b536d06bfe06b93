/** What the tunnel knows of its way: how soon a window counts as emptied at once, and how large one may become. */
export type Pace = { now: number; roundTripMs: number; maxBytes: number }

/** A near reader needs no larger window than this; more would only queue ahead of small streams. */
const NEAR_WINDOW_BYTES = 256 * 1024
const FAR_WINDOW_BYTES = 8 * 1024 * 1024
/** Rate that one stream shall reach however far the other side is: the window grows with the distance. */
const WINDOW_BYTES_PER_MS = 64 * 1024
/** A busy event loop takes this long for a turn, however near the other side is. */
const SHORTEST_ROUND_TRIP_MS = 25

/** The pace of a way whose shortest round trip is that long. */
export function paceOf(now: number, shortestMs: number): Pace {
  const wanted = Math.max(NEAR_WINDOW_BYTES, shortestMs * WINDOW_BYTES_PER_MS)
  return {
    now,
    roundTripMs: Math.max(SHORTEST_ROUND_TRIP_MS, 2 * shortestMs),
    maxBytes: Math.min(FAR_WINDOW_BYTES, wanted),
  }
}
