/** The work did not finish in time. */
export class Late extends Error {}

/**
 * Resolves like `work`, or rejects with `Late` after `ms` milliseconds. Some browsers never respond if their storage is
 * damaged.
 */
export async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Late(`no answer within ${ms} ms`)), ms)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
