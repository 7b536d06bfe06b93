import { expect, it } from 'vitest'
import { kubeQuantityBytes } from './kube-quantity.ts'

it.each([
  [undefined, 0],
  ['0', 0],
  ['1073741824', 2 ** 30],
  ['1Gi', 2 ** 30],
  ['1.5Gi', 1.5 * 2 ** 30],
  ['1G', 1e9],
  ['100M', 1e8],
  ['1e3', 1000],
  ['1500m', 2],
])('%s is %d bytes', (quantity, bytes) => {
  expect(kubeQuantityBytes(quantity)).toBe(bytes)
})

it('does not guess', () => {
  for (const text of ['', 'much', '1Xi', '-1Gi']) expect(() => kubeQuantityBytes(text)).toThrow(TypeError)
})
