import { describe, expect, it } from 'vitest'
import { progressParts, progressWords, rolloutChanges, stopWords } from './rollout-states.ts'

const none = { total: 0, pending: 0, rolling: 0, succeeded: 0, failed: 0, stalled: 0, deferred: 0, skipped: 0 }

describe('rolloutChanges', () => {
  it('lets a stopped rollout go on or end, and a finished one rest', () => {
    expect(rolloutChanges('running')).toEqual(['pause', 'abort'])
    expect(rolloutChanges('stopped')).toEqual(['resume', 'abort'])
    expect(rolloutChanges('succeeded')).toEqual([])
    expect(rolloutChanges('aborted')).toEqual([])
  })
})

describe('progressParts', () => {
  it('fills the bar', () => {
    const parts = progressParts({
      ...none,
      total: 10,
      succeeded: 4,
      skipped: 1,
      failed: 1,
      rolling: 1,
      pending: 2,
      deferred: 1,
    })
    expect(parts.map(({ percent }) => percent)).toEqual([50, 10, 10, 30])
  })

  it('draws nothing for an empty fleet', () => {
    expect(progressParts(none).every(({ percent }) => percent === 0)).toBe(true)
  })
})

describe('progressWords', () => {
  it('names only what there is', () => {
    expect(progressWords({ ...none, total: 3, succeeded: 1, stalled: 1 })).toBe('1 of 3 done, 1 stalled')
  })
})

describe('stopWords', () => {
  it('says which failure stops a rollout', () => {
    expect(stopWords(0)).toBe('the first failure')
    expect(stopWords(1)).toBe('2 failures')
  })
})
