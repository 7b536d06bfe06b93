import { describe, expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { autoGrowFor, growthPatch, type GrowthSettings } from './auto-grow.ts'

const settings: GrowthSettings = { maxSize: '50Gi', abovePercent: 80 }
const off: GrowthSettings = { maxSize: undefined, abovePercent: 80 }
const grow = (maxSize: string, abovePercent = 80) => ({ maxSize, abovePercent })

describe('growth by the settings of the platform', () => {
  verifies('operator.auto-grow')
  test('a new volume grows up to the maximum, or not at all', () => {
    expect(autoGrowFor('5Gi', settings)).toEqual(grow('50Gi'))
    expect(autoGrowFor('5Gi', off)).toBeUndefined()
    expect(autoGrowFor('1Ti', settings)).toEqual(grow('1Ti'))
  })

  test.each<[string, Parameters<typeof growthPatch>[0], GrowthSettings, ReturnType<typeof growthPatch>]>([
    ['one from before the setting gets it', { size: '5Gi' }, settings, grow('50Gi')],
    ['one that has it is left alone', { size: '5Gi', autoGrow: grow('50Gi') }, settings, undefined],
    ['another maximum is taken over', { size: '5Gi', autoGrow: grow('20Gi') }, settings, grow('50Gi')],
    ['another limit of use is taken over', { size: '5Gi', autoGrow: grow('50Gi', 60) }, settings, grow('50Gi')],
    ['one larger than the maximum keeps its size', { size: '60Gi', autoGrow: grow('60Gi') }, settings, undefined],
    ['without the setting growth ends', { size: '5Gi', autoGrow: grow('50Gi') }, off, grow('5Gi')],
    ['growth that has ended is left alone', { size: '5Gi', autoGrow: grow('5Gi') }, off, undefined],
    ['one that never grew is left alone', { size: '5Gi' }, off, undefined],
  ])('%s', (_what, storage, wanted, patch) => {
    expect(growthPatch(storage, wanted)).toEqual(patch)
  })
})
