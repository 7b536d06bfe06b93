/** What flow control knows about the connection: its round trip, and how large a window may grow. */
export type Pace = { now: number; roundTripMs: number; maxBytes: number }

/** Enough for a reader nearby. A larger window would only let bulk data queue ahead of small streams. */
const NEAR_WINDOW_BYTES = 256 * 1024
const FAR_WINDOW_BYTES = 8 * 1024 * 1024
/** Throughput that one stream should reach over any distance. The window grows with the round trip. */
const WINDOW_BYTES_PER_MS = 64 * 1024
/** A turn of a busy event loop takes this long, even when the peer is close. */
const SHORTEST_ROUND_TRIP_MS = 25

/** The pace of a connection with this shortest round trip. */
export function paceOf(now: number, shortestMs: number): Pace {
  const wanted = Math.max(NEAR_WINDOW_BYTES, shortestMs * WINDOW_BYTES_PER_MS)
  return {
    now,
    roundTripMs: Math.max(SHORTEST_ROUND_TRIP_MS, 2 * shortestMs),
    maxBytes: Math.min(FAR_WINDOW_BYTES, wanted),
  }
}
