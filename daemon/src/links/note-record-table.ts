const LEAST_ROOM = 1024

/**
 * The records of the notes of a vault, by number. Most are in one block of bytes as it was read; those changed since
 * are kept outside it.
 */
export class NoteRecordTable {
  readonly #paths: (string | undefined)[] = []
  readonly #numbers = new Map<string, number>()
  readonly #changed = new Map<number, Uint8Array>()
  #block: Uint8Array = new Uint8Array(0)
  // Offsets in the block by number; notes may get numbers while the block is adopted. No record ends at 0.
  #starts = new Uint32Array(0)
  #ends = new Uint32Array(0)

  /** One more than the highest number. The numbers of removed notes stay unused. */
  get count(): number {
    return this.#paths.length
  }

  /** The number of records outside the block. */
  get changed(): number {
    return this.#changed.size
  }

  /** Switches to a block of records. Drops those of the block before; keeps records outside. */
  useBlock(block: Uint8Array): void {
    for (const [path, number] of this.#numbers) if (!this.#changed.has(number)) this.remove(path)
    this.#block = block
    this.#starts = new Uint32Array(0)
    this.#ends = new Uint32Array(0)
  }

  putInBlock(path: string, start: number, end: number): void {
    const number = this.#numberFor(path)
    if (this.#changed.has(number)) return
    this.#makeRoomFor(number)
    this.#starts[number] = start
    this.#ends[number] = end
  }

  put(path: string, record: Uint8Array): number {
    const number = this.#numberFor(path)
    this.#changed.set(number, record)
    return number
  }

  remove(path: string): void {
    const number = this.#numbers.get(path)
    if (number === undefined) return
    this.#numbers.delete(path)
    this.#changed.delete(number)
    this.#paths[number] = undefined
  }

  numberOf(path: string): number | undefined {
    return this.#numbers.get(path)
  }

  path(number: number): string | undefined {
    return this.#paths[number]
  }

  record(number: number): Uint8Array | undefined {
    if (this.#paths[number] === undefined) return undefined
    const changed = this.#changed.get(number)
    if (changed) return changed
    const end = this.#ends[number] ?? 0
    return end === 0 ? undefined : this.#block.subarray(this.#starts[number], end)
  }

  has(path: string): boolean {
    return this.#numbers.has(path)
  }

  #makeRoomFor(number: number): void {
    if (number < this.#ends.length) return
    const room = Math.max(2 * this.#ends.length, number + 1, LEAST_ROOM)
    const [starts, ends] = [new Uint32Array(room), new Uint32Array(room)]
    starts.set(this.#starts)
    ends.set(this.#ends)
    this.#starts = starts
    this.#ends = ends
  }

  #numberFor(path: string): number {
    const known = this.#numbers.get(path)
    if (known !== undefined) return known
    this.#numbers.set(path, this.#paths.length)
    return this.#paths.push(path) - 1
  }
}
