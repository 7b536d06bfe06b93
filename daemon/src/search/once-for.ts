import { createInTurns } from '@svc/shared/kit/in-turns.ts'

// Two words of a query are read together. Of hundreds, most are not read at all once the time is up.
const AT_ONCE = 4

/** Does something for each item, a few at a time, and returns the results in the order of the items. */
export function eachInTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const inTurn = createInTurns(AT_ONCE)
  return Promise.all(items.map((item) => inTurn(() => work(item))))
}

/** Does work once for each key, however often the key is given. */
export function onceFor<K, R>(work: (key: K) => Promise<R>): (key: K) => Promise<R> {
  const results = new Map<K, Promise<R>>()
  return (key) => {
    const result = results.get(key) ?? work(key)
    results.set(key, result)
    return result
  }
}
