import { expect, it } from 'vitest'
import { defaultOrgLimits } from './org-use.ts'
import { effectiveLimits, parseOwnLimits, useSettings } from './limit-settings.ts'

const MIB = 1024 * 1024
const platform = {
  requests: 512,
  bytesPerSecond: 64 * MIB,
  personPercent: 50,
  bodyBytes: 1024 * MIB,
  tunnels: 4,
  storageMaxSize: null,
}

it('takes its own limits over those of the platform', () => {
  expect(effectiveLimits({ requests: 8, storageMaxSize: '20Gi' }, platform)).toEqual({
    ...platform,
    requests: 8,
    storageMaxSize: '20Gi',
  })
  expect(effectiveLimits({}, platform)).toEqual(platform)
})

it('ignores stored limits that are not valid any more, one by one', () => {
  expect(parseOwnLimits({ requests: 8, tunnels: 400, gone: 1, bodyBytes: '5' })).toEqual({ requests: 8 })
  for (const bad of [null, undefined, 7, 'x', []]) expect(parseOwnLimits(bad)).toEqual({})
})

it('counts with the limits of the platform as they were', () => {
  expect(useSettings(platform)).toEqual(defaultOrgLimits)
})
