/** A value that is there, or comes. What is known at once costs no turn of the queue of promises. */
export type Eventual<T> = T | Promise<T>

/** Goes on with a value: now when it is there, else when it comes. */
export function andThen<T, R>(value: Eventual<T>, goOn: (value: T) => Eventual<R>): Eventual<R> {
  return value instanceof Promise ? value.then(goOn) : goOn(value)
}

/** Begins work that may throw now or reject later; either way `failed` hears of it. */
export function attempt(work: () => Eventual<void>, failed: (thrown: unknown) => void): void {
  try {
    const working = work()
    if (working instanceof Promise) working.catch(failed)
  } catch (error) {
    failed(error)
  }
}
