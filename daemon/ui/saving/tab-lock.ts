/** Locks that one tab holds at a time. They end with the tab, also when it crashes. */
export type TabLocks = {
  /** Takes a free lock and returns its release; undefined when another tab has it. */
  take(name: string): Promise<(() => void) | undefined>
}

/**
 * Locks among all tabs of this browser. A page outside a secure context has no Web Locks: its locks hold within this
 * tab only.
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
