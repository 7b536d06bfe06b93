/** A number with its noun: `1 note`, `2 notes`. */
export const counted = (count: number, what: string): string =>
  `${count.toLocaleString()} ${count === 1 ? what : `${what}s`}`
