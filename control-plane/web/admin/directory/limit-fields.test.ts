import { expect, it } from 'vitest'
import { limitsOf, platformText, textsOf } from './limit-fields.ts'

const MIB = 1024 * 1024
const empty = textsOf({})

it('shows own limits in the units of the form and reads them back', () => {
  const own = { requests: 20, bytesPerSecond: 8 * MIB, bodyBytes: 1.5 * MIB, storageMaxSize: '20Gi' }
  const texts = textsOf(own)
  expect(texts).toEqual({ ...empty, requests: '20', bytesPerSecond: '8', bodyBytes: '1.5', storageMaxSize: '20Gi' })
  expect(limitsOf(texts)).toEqual({ own, problems: new Map() })
})

it('takes the default of the platform for what is empty', () => {
  expect(limitsOf({ ...empty, tunnels: ' ' }).own).toEqual({})
})

it.each([
  ['requests', '0'],
  ['requests', '2.5'],
  ['requests', '-1'],
  ['requests', '1e3'],
  ['tunnels', '5'],
  ['personPercent', '101'],
  ['bodyBytes', '0.01'],
  ['storageMaxSize', '20 GB'],
] as const)('says what is wrong with %s of %s', (name, text) => {
  const { own, problems } = limitsOf({ ...empty, [name]: text })
  expect(problems.get(name)).toMatch(/^must be a (whole )?number/)
  expect(own).toEqual({})
})

it('shows the default of the platform in the unit of its field', () => {
  const platform = {
    requests: 512,
    bytesPerSecond: 64 * MIB,
    personPercent: 50,
    bodyBytes: 16_384 * MIB,
    tunnels: 4,
    storageMaxSize: null,
  }
  expect(platformText(platform, 'bodyBytes')).toBe('16,384')
  expect(platformText(platform, 'storageMaxSize')).toBe('it does not')
})
