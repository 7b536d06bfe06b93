// The arrays of a search take 2 to 4 MB in a vault of 100,000 notes. A larger block is not kept for the next search.
const MOST_KEPT = 8 * 1024 ** 2
// The block grows in steps, so that a search that needs slightly more than any before it does not need a new block.
const STEP = 256 * 1024
const ALIGNMENT = 8

/**
 * The arrays of one search, allocated from one block of memory. Their content is undefined. An array that does not fit
 * into the block gets memory of its own.
 */
export class WorkMemory {
  readonly size: number
  readonly #block: ArrayBuffer
  #wanted = 0

  constructor(size = 0) {
    this.size = size
    this.#block = new ArrayBuffer(size)
  }

  /** The number of bytes requested since the last `clear`. */
  get wanted(): number {
    return this.#wanted
  }

  bytes(length: number): Buffer {
    const at = this.#take(length)
    // Not from Node's pool of small buffers: readers create typed arrays on it, which need an aligned start.
    return at === undefined ? Buffer.allocUnsafeSlow(length) : Buffer.from(this.#block, at, length)
  }

  integers(length: number): Uint32Array {
    const at = this.#take(length * Uint32Array.BYTES_PER_ELEMENT)
    return at === undefined ? new Uint32Array(length) : new Uint32Array(this.#block, at, length)
  }

  floats(length: number): Float32Array {
    const at = this.#take(length * Float32Array.BYTES_PER_ELEMENT)
    return at === undefined ? new Float32Array(length) : new Float32Array(this.#block, at, length)
  }

  /** Makes the block available to the next search. The arrays of this search must not be used afterwards. */
  clear(): void {
    this.#wanted = 0
  }

  #take(bytes: number): number | undefined {
    const at = this.#wanted
    this.#wanted += Math.ceil(bytes / ALIGNMENT) * ALIGNMENT
    return this.#wanted <= this.size ? at : undefined
  }
}

/**
 * Work memory that searches use one after the other. V8 would count megabytes of new arrays per search as growth of the
 * heap, and might collect the whole heap in every fifth search. The memory is held weakly, so that an idle daemon frees
 * it with the next full collection.
 */
export function createWorkMemories() {
  let kept: WeakRef<WorkMemory> | undefined
  let size = 0
  return {
    borrow(): WorkMemory {
      const memory = kept?.deref()
      kept = undefined
      return memory ?? new WorkMemory(size)
    },
    /** The caller must not use the memory afterwards, and no read into it may be in progress. */
    giveBack(memory: WorkMemory): void {
      size = Math.max(size, Math.min(MOST_KEPT, Math.ceil(memory.wanted / STEP) * STEP))
      if (memory.size < size) return
      memory.clear()
      kept = new WeakRef(memory)
    },
  }
}
