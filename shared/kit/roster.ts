/** The place of one member in a roster. It can be added again after it was removed. */
export type Place<T> = {
  readonly member: T
  /** The roster that it is in now. */
  roster: Roster<T> | undefined
  before: Place<T> | undefined
  after: Place<T> | undefined
}

/** A place that is in no roster yet. */
export const placeOf = <T>(member: T): Place<T> => ({ member, roster: undefined, before: undefined, after: undefined })

/**
 * Members in the order of their arrival, for objects that come and go with each request. A `Set` or `Map` allocates a
 * new table after some changes, and its old table refers to the new one. Once an old table has reached V8's old
 * generation, young collections keep every later table, with all that its members refer to.
 */
export class Roster<T> {
  #first: Place<T> | undefined
  #last: Place<T> | undefined

  /** The member that has been here longest. */
  get first(): Place<T> | undefined {
    return this.#first
  }

  get isEmpty(): boolean {
    return this.#first === undefined
  }

  /** Puts a place at the end. It must not be in a roster. */
  add(place: Place<T>): void {
    if (place.roster !== undefined) throw new Error('the place is in a roster')
    place.roster = this
    place.before = this.#last
    if (this.#last === undefined) this.#first = place
    else this.#last.after = place
    this.#last = place
  }

  /** Removes a place; false if it is not here. */
  remove(place: Place<T>): boolean {
    if (place.roster !== this) return false
    const { before, after } = place
    if (before === undefined) this.#first = after
    else before.after = after
    if (after === undefined) this.#last = before
    else after.before = before
    // A removed place must refer to no other place, for the reason explained above.
    place.roster = place.before = place.after = undefined
    return true
  }

  /** The last `count` members, newest first. */
  newest(count: number): T[] {
    const found: T[] = []
    for (let place = this.#last; place !== undefined && found.length < count; place = place.before)
      found.push(place.member)
    return found
  }

  /** All members, oldest first. None may be removed meanwhile. */
  *[Symbol.iterator](): Generator<T> {
    for (let place = this.#first; place !== undefined; place = place.after) yield place.member
  }
}
