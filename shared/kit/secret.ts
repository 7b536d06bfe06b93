import { createSecretKey, type KeyObject } from 'node:crypto'
import { inspect } from 'node:util'

const MASK = '***'

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
    return (this.#macKey ??= createSecretKey(this.#value, 'utf8'))
  }

  toString(): string {
    return MASK
  }

  toJSON(): string {
    return MASK
  }

  [inspect.custom](): string {
    return MASK
  }
}
