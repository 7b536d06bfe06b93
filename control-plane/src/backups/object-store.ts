/** A bucket of objects. Treat whatever it returns as hostile until it is opened or parsed. */
export type ObjectStore = {
  /** Durable when it resolves; replaces an object of the same name. */
  put(name: string, content: Buffer, signal: AbortSignal): Promise<void>
  /** Undefined when there is none. Throws backup_store_refused when the object is larger than `maxBytes`. */
  find(name: string, maxBytes: number, signal: AbortSignal): Promise<Buffer | undefined>
  list(prefix: string, signal: AbortSignal): AsyncGenerator<{ name: string; modifiedAt: Date }>
  delete(names: readonly string[], signal: AbortSignal): Promise<void>
}
