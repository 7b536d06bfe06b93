import type { ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'

/** The newest version seen of each resource, from the watch or from our own writes. */
export class DaemonCache {
  readonly #daemons = new Map<string, ManagedDaemon>()

  get(name: string): ManagedDaemon | undefined {
    return this.#daemons.get(name)
  }

  get names(): string[] {
    return [...this.#daemons.keys()]
  }

  values(): Iterable<ManagedDaemon> {
    return this.#daemons.values()
  }

  /** Stores the resource unless a newer version is known; returns the version before, and whether it was stored. */
  keep(daemon: ManagedDaemon): { before: ManagedDaemon | undefined; kept: boolean } {
    const before = this.#daemons.get(daemon.name)
    const kept = before === undefined || before.uid !== daemon.uid || isNewer(daemon, before)
    if (kept) this.#daemons.set(daemon.name, daemon)
    return { before, kept }
  }

  /** Removes the resource, unless another one has taken its name. */
  drop(name: string, uid: string): void {
    if (this.#daemons.get(name)?.uid === uid) this.#daemons.delete(name)
  }
}

// Versions count up in both stores; the API server guarantees it since 1.35.
const isNewer = (a: ManagedDaemon, b: ManagedDaemon) => BigInt(a.resourceVersion) > BigInt(b.resourceVersion)
