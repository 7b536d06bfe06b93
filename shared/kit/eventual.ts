/** A value that is available now or later. An available one costs no turn of the microtask queue. */
export type Eventual<T> = T | Promise<T>

/** Continues with a value: now if it is available, otherwise when it arrives. */
export function andThen<T, R>(value: Eventual<T>, goOn: (value: T) => Eventual<R>): Eventual<R> {
  return value instanceof Promise ? value.then(goOn) : goOn(value)
}

/** Starts work that may throw now or reject later; either way `failed` is called. */
export function attempt(work: () => Eventual<void>, failed: (thrown: unknown) => void): void {
  try {
    const working = work()
    if (working instanceof Promise) working.catch(failed)
  } catch (error) {
    failed(error)
  }
}
