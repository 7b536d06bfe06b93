import { setImmediate } from 'node:timers/promises'
import { createInTurns } from '@svc/shared/kit/in-turns.ts'

/**
 * Searches long lists some items at a time, so that other requests run in between. However many searches run at once,
 * one turn of the event loop serves one of them.
 */
export function createFindInSlices() {
  const inTurn = createInTurns(1)

  /** The first result of `find` that is not undefined; looks at `atOnce` items in one turn. */
  return async <Item, Found>(
    items: readonly Item[],
    atOnce: number,
    find: (item: Item) => Found | undefined,
  ): Promise<Found | undefined> => {
    const findIn = async (slice: readonly Item[]): Promise<Found | undefined> => {
      await setImmediate()
      for (const item of slice) {
        const found = find(item)
        if (found !== undefined) return found
      }
      return undefined
    }
    for (let at = 0; at < items.length; at += atOnce) {
      const found = await inTurn(() => findIn(items.slice(at, at + atOnce)))
      if (found !== undefined) return found
    }
    return undefined
  }
}
