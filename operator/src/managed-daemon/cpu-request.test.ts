import { expect, test } from 'vitest'
import { cpuRequest } from './cpu-request.ts'

test.each([
  ['500m', 10, '50m'],
  ['2', 10, '200m'],
  ['0.5', 25, '125m'],
  ['500m', 100, '500m'],
  ['5m', 10, '1m'],
])('of %s, %d percent are %s', (limit, percent, wanted) => {
  expect(cpuRequest(limit, percent)).toBe(wanted)
})

test('what it cannot read is left to the API server', () => {
  for (const limit of ['', 'm', 'much', '-1', '1k']) expect(cpuRequest(limit, 10)).toBe(limit)
})
