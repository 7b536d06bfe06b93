const units = { Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 } as const

/** Bytes of a size such as `5Gi`. The schema of the resource has validated the text. */
export function quantityBytes(text: string): number {
  const unit = units[text.slice(-2) as keyof typeof units]
  const count = Number(text.slice(0, -2))
  if (unit === undefined || !Number.isInteger(count)) throw new TypeError(`${text} is not a size`)
  return count * unit
}

/** A size of at least that many bytes, in whole Mi. */
export function mebibytes(bytes: number): string {
  return `${Math.ceil(bytes / units.Mi)}Mi`
}
