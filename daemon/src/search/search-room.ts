import type { Clock } from '@svc/shared/kit/clock.ts'
import { OutOfBudget, type SearchBudget } from './search-budget.ts'

// A usual search of 100,000 notes takes 2 to 4 MB, a pasted paragraph of common words some 50 MB.
const ROOM_BYTES = 128 * 1024 ** 2
// How often a waiting search looks again.
const LOOK_MS = 10

/** The memory that all searches of a daemon may use at the same time. */
export type SearchRoom = {
  /**
   * Waits, in the order of the calls, until a search may use this many bytes. The caller must give them back. Throws
   * `OutOfBudget` when the search runs out of time before, or wants more than there is.
   */
  take(bytes: number, budget: Pick<SearchBudget, 'pause'>): Promise<Taken>
}
/** Gives the bytes back. */
type Taken = () => void

export function createSearchRoom(clock: Pick<Clock, 'sleep'>, roomBytes = ROOM_BYTES): SearchRoom {
  let free = roomBytes
  const waiting: symbol[] = []
  return {
    async take(bytes, { pause }) {
      if (bytes > roomBytes) throw new OutOfBudget()
      const own = Symbol('a search')
      waiting.push(own)
      try {
        while (waiting[0] !== own || free < bytes) {
          await clock.sleep(LOOK_MS)
          await pause()
        }
        free -= bytes
      } finally {
        waiting.splice(waiting.indexOf(own), 1)
      }
      return () => {
        free += bytes
      }
    },
  }
}

/** Runs a search that may reserve memory once. The memory is given back when the search ends. */
export async function inRoom<T>(
  room: SearchRoom,
  budget: Pick<SearchBudget, 'pause'>,
  search: (reserve: (bytes: number) => Promise<void>) => Promise<T>,
): Promise<T> {
  let giveBack = () => {}
  try {
    return await search(async (bytes) => void (giveBack = await room.take(bytes, budget)))
  } finally {
    giveBack()
  }
}
