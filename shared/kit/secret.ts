import type { KeyObject } from 'node:crypto'

const MASK = '***'
// The same symbol as `util.inspect.custom`.
const INSPECT = Symbol.for('nodejs.util.inspect.custom')

/** A text that prints as *** wherever it is logged, serialized or interpolated; `reveal()` returns it. */
export class Secret {
  readonly #value: string
  #macKey: KeyObject | undefined

  constructor(value: string) {
    this.#value = value
  }

  reveal(): string {
    return this.#value
  }

  /**
   * The text as the key of a MAC. Node takes several times as long to create a key as to use it, so it is created once.
   */
  macKey(): KeyObject {
    // Loaded here alone: a process that reads its configuration has no use for it yet.
    return (this.#macKey ??= process.getBuiltinModule('node:crypto').createSecretKey(this.#value, 'utf8'))
  }

  toString(): string {
    return MASK
  }

  toJSON(): string {
    return MASK
  }

  [INSPECT](): string {
    return MASK
  }
}
