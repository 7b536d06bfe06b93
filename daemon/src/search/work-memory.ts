// What a search works with takes 2 to 4 MB in a vault of 100,000 notes. More is not kept for the next one.
const MOST_KEPT = 8 * 1024 ** 2
// A search that needs a little more than any before it does not need another block.
const STEP = 256 * 1024
const ALIGNMENT = 8

/**
 * The arrays of one search, cut from one block of memory. Their content is undefined. Arrays for which there is no room have
 * memory of their own.
 */
export class WorkMemory {
  readonly size: number
  readonly #block: ArrayBuffer
  #wanted = 0

  constructor(size = 0) {
    this.size = size
    this.#block = new ArrayBuffer(size)
  }

  /** How many bytes were asked for since the last `clear`. */
  get wanted(): number {
    return this.#wanted
  }

  bytes(length: number): Buffer {
    const at = this.#take(length)
    // Not from Node's pool of small buffers: readers make typed arrays of it, which need an aligned start.
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

  /** Lets the next search have the block. No array of this one may be used any more. */
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
 * Work memory that searches use one after the other. V8 counts megabytes of new arrays for each search as growth of the heap,
 * and may collect the whole heap in every fifth search for them. The memory is held weakly, so that a daemon at rest loses
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
    /** Nobody may read into the memory or use it any more. */
    giveBack(memory: WorkMemory): void {
      size = Math.max(size, Math.min(MOST_KEPT, Math.ceil(memory.wanted / STEP) * STEP))
      if (memory.size < size) return
      memory.clear()
      kept = new WeakRef(memory)
    },
  }
}
