const factors: Record<string, number> = {
  '': 1,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
}

/** Bytes of a quantity as the API writes it; absent is 0. Only the API writes these, so a malformed one is a bug. */
export function kubeQuantityBytes(quantity: string | undefined): number {
  if (quantity === undefined) return 0
  const [, digits, suffix = ''] = /^([0-9.]+(?:[eE][0-9]+)?)([a-zA-Z]*)$/.exec(quantity) ?? []
  const factor = factors[suffix]
  if (digits === undefined || factor === undefined) throw new TypeError(`${quantity} is not a quantity`)
  return Math.ceil(Number(digits) * factor)
}
