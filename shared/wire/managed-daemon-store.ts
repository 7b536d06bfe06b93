import type { ManagedDaemon, ManagedDaemonSpec, ManagedDaemonStatus } from './managed-daemon.ts'

/** A change of the spec: merge patch of just the changed fields (RFC 7396; null removes). */
export type SpecPatch = { [K in keyof ManagedDaemonSpec]?: Partial<ManagedDaemonSpec[K]> | ManagedDaemonSpec[K] | null }

/** What a watcher sees. `synced` follows the listing; after a gap the listing is repeated. */
export type ManagedDaemonEvent =
  { type: 'upserted'; daemon: ManagedDaemon } | { type: 'removed'; name: string; uid: string } | { type: 'synced' }

/** The stored resource is not at the expected version, or is gone; read again and decide again. */
export class StoreConflict extends Error {
  constructor(name: string) {
    super(`${name} was changed by somebody else`)
    this.name = 'StoreConflict'
  }
}

/** The store refuses the resource or the patch (validation); a retry cannot succeed. */
export class StoreRejection extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'StoreRejection'
  }
}

/** The store is not set up, or denies the caller its rights; the same write succeeds once a person has mended that. */
export class StoreNotReady extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StoreNotReady'
  }
}

/** The store could not be reached, or did not answer in time; whether a write was carried out is then unknown. */
export class StoreUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StoreUnavailable'
  }
}

/**
 * The store of ManagedDaemon resources: the Kubernetes API, or a table of the embedded platform. Both validate alike:
 * name from id, immutable fields, storage only grows, operation epoch never falls. A failed read throws; only the store
 * can say that a resource is absent. In the control plane each request throws StoreUnavailable while the store is away.
 */
export type ManagedDaemonStore = {
  /** The resource, or undefined when the store says that there is none. */
  find(name: string): Promise<ManagedDaemon | undefined>
  list(): Promise<ManagedDaemon[]>
  /** Creates the resource once; an existing one is returned as it is. Throws StoreRejection or StoreNotReady. */
  create(spec: ManagedDaemonSpec): Promise<ManagedDaemon>
  /** Patches the spec under the resourceVersion that was read. Throws StoreConflict, StoreRejection or StoreNotReady. */
  patchSpec(name: string, resourceVersion: string, patch: SpecPatch): Promise<ManagedDaemon>
  /** Replaces the status under the resourceVersion that was read. Generation does not change. */
  putStatus(name: string, resourceVersion: string, status: ManagedDaemonStatus): Promise<ManagedDaemon>
  /**
   * Marks the resource for deletion; it is deleted once its finalizer is released. With `found`, only that resource at
   * that version: another one of that name, or one that has changed, is left alone and throws StoreConflict.
   */
  remove(name: string, found?: Pick<ManagedDaemon, 'uid' | 'resourceVersion'>): Promise<void>
  /**
   * Releases a marked resource at the version that was observed; one that has changed is left, for the next look. Only
   * the reconciler calls it, when the children are gone.
   */
  release(name: string, resourceVersion: string): Promise<void>
  /** Lists, then follows. The callback never throws into the store. Returns the function that stops it. */
  watch(onEvent: (event: ManagedDaemonEvent) => void): () => void
}
