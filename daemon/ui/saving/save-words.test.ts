import { describe, expect, it } from 'vitest'
import { isUnsafe, saveStateOf, type SaveFacts } from '../live/save-state.ts'
import { saveWords } from './save-words.ts'

const facts: SaveFacts = {
  phase: 'ready',
  attempts: 0,
  hasUnsent: false,
  hasConflict: false,
  failure: undefined,
  version: 3,
  durable: { version: 3, at: '2026-01-02T10:42:00' },
  end: undefined,
}
const gone = { who: undefined, rescued: true }

describe('what is said of the saving of a note', () => {
  it.each<[string, Partial<SaveFacts>, string, 'safe' | 'unsafe']>([
    ['all is in the file', {}, 'Saved 10:42', 'safe'],
    ['the host has all, the file not yet', { version: 4 }, 'Saved', 'safe'],
    ['words are on their way', { hasUnsent: true }, 'Saving', 'safe'],
    ['the first connection takes a moment', { phase: 'joining', hasUnsent: true }, 'Saving', 'safe'],
    ['the connection is lost', { phase: 'offline', attempts: 1, hasUnsent: true }, 'Not saved', 'unsafe'],
    ['the connection is lost, nothing is unsent', { phase: 'offline', attempts: 1 }, 'Offline', 'safe'],
    ['the disk is full', { failure: 'storage_full' }, 'Not in the file', 'safe'],
    ['the disk is full, and words are unsent', { failure: 'storage_full', hasUnsent: true }, 'Not saved', 'unsafe'],
    [
      'the note is too large',
      { phase: 'refused', failure: 'payload_too_large', hasUnsent: true },
      'Not saved',
      'unsafe',
    ],
    ['both changed the same places', { hasConflict: true }, 'Not saved', 'unsafe'],
    ['the note was deleted', { phase: 'gone', end: gone }, 'Deleted', 'safe'],
    ['the note was deleted while somebody typed', { phase: 'gone', end: gone, hasUnsent: true }, 'Not saved', 'unsafe'],
  ])('%s', (_what, change, title, safety) => {
    const save = saveStateOf({ ...facts, ...change })
    expect(saveWords(save, true).title).toBe(title)
    expect(isUnsafe(save)).toBe(safety === 'unsafe')
  })

  it('tells people not to close the page where the browser keeps nothing', () => {
    const save = saveStateOf({ ...facts, phase: 'offline', attempts: 2, hasUnsent: true })
    expect(saveWords(save, false).detail).toContain('do not close the page')
  })
})
