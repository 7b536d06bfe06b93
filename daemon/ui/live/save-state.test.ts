import { describe, expect, it } from 'vitest'
import { isUnsafe, saveStateOf, type SaveFacts } from './save-state.ts'

const facts: SaveFacts = {
  phase: 'ready',
  attempts: 0,
  isAsleep: false,
  hasUnsent: false,
  hasConflict: false,
  failure: undefined,
  version: 3,
  durable: { version: 3, at: '2026-01-02T10:42:00', baseline: 'b3' },
  end: undefined,
}
const gone = { who: undefined, rescued: true }

describe('the save state of a note', () => {
  it.each<[string, Partial<SaveFacts>, string, 'safe' | 'unsafe']>([
    ['all is in the file', {}, 'durable', 'safe'],
    ['the host has all, the file not yet', { version: 4 }, 'saved', 'safe'],
    ['words are on their way', { hasUnsent: true }, 'saving', 'safe'],
    ['the first connection takes a moment', { phase: 'joining' }, 'loading', 'safe'],
    ['somebody types during the first connection', { phase: 'joining', hasUnsent: true }, 'saving', 'safe'],
    ['the connection is lost', { phase: 'offline', attempts: 1, hasUnsent: true }, 'offline', 'unsafe'],
    ['it is joined again after a loss', { phase: 'joining', attempts: 1, hasUnsent: true }, 'offline', 'unsafe'],
    ['the host sleeps', { phase: 'offline', attempts: 1, isAsleep: true }, 'asleep', 'safe'],
    [
      'the host sleeps, words are unsent',
      { phase: 'offline', attempts: 1, isAsleep: true, hasUnsent: true },
      'offline',
      'unsafe',
    ],
    ['the connection is lost, nothing is unsent', { phase: 'offline', attempts: 1 }, 'offline', 'safe'],
    ['the disk is full', { failure: 'storage_full' }, 'failed', 'safe'],
    ['the disk is full, and words are unsent', { failure: 'storage_full', hasUnsent: true }, 'failed', 'unsafe'],
    [
      'the disk is too full for a push',
      { phase: 'offline', attempts: 1, failure: 'storage_full', hasUnsent: true },
      'failed',
      'unsafe',
    ],
    [
      'the connection ended with a full disk, nothing is unsent',
      { phase: 'offline', attempts: 1, failure: 'storage_full' },
      'offline',
      'safe',
    ],
    ['the note is too large', { phase: 'refused', failure: 'payload_too_large', hasUnsent: true }, 'refused', 'unsafe'],
    ['both changed the same places', { hasConflict: true, hasUnsent: true }, 'conflict', 'unsafe'],
    ['the note was deleted', { phase: 'gone', end: gone }, 'gone', 'safe'],
    ['the note was deleted while somebody typed', { phase: 'gone', end: gone, hasUnsent: true }, 'gone', 'unsafe'],
  ])('when %s', (_what, change, state, safety) => {
    const save = saveStateOf({ ...facts, ...change })
    expect(save.state).toBe(state)
    expect(isUnsafe(save)).toBe(safety === 'unsafe')
  })
})
