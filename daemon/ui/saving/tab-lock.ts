/** Locks that one tab holds at a time, and that end with the tab whatever becomes of it. */
export type TabLocks = {
  /** Takes a lock that nobody holds; answers how to give it back, or undefined when another has it. */
  take(name: string): Promise<(() => void) | undefined>
}

/**
 * Locks among all tabs of this browser. A page that is not in a secure context has no Web Locks: there the locks are those
 * of this tab alone.
 */
export function tabLocks(locks: Pick<LockManager, 'request'> | undefined): TabLocks {
  const own = new Set<string>()
  const takeHere = (name: string): (() => void) | undefined => {
    if (own.has(name)) return undefined
    own.add(name)
    return () => void own.delete(name)
  }
  if (!locks) return { take: async (name) => takeHere(name) }

  return {
    take: (name) =>
      new Promise((resolve) => {
        const hold = (lock: Lock | null) => {
          if (!lock) return void resolve(undefined)
          return new Promise<void>((release) => resolve(release))
        }
        locks.request(name, { ifAvailable: true }, hold).catch(() => resolve(takeHere(name)))
      }),
  }
}
