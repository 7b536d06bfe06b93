/** A typed array of twice the length with the same content. */
export function grown<Numbers extends Uint8Array | Int32Array | Uint32Array>(
  numbers: Numbers,
  Type: new (length: number) => Numbers,
): Numbers {
  const larger = new Type(numbers.length * 2)
  larger.set(numbers)
  return larger
}
