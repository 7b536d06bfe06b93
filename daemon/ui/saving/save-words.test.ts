import { describe, expect, it } from 'vitest'
import type { SaveState } from '../live/save-state.ts'
import { saveWords } from './save-words.ts'

describe('what is said of the saving of a note', () => {
  it.each<[SaveState | undefined, string, 'good' | 'quiet' | 'bad']>([
    [undefined, 'Saved', 'good'],
    [{ state: 'durable', at: '2026-01-02T10:42:00', baseline: 'b' }, 'Saved 10:42', 'good'],
    [{ state: 'saved' }, 'Saved', 'good'],
    [{ state: 'saving' }, 'Saving', 'quiet'],
    [{ state: 'offline', hasUnsent: true }, 'Not saved', 'bad'],
    [{ state: 'offline', hasUnsent: false }, 'Offline', 'quiet'],
    [{ state: 'asleep' }, 'Asleep', 'quiet'],
    [{ state: 'failed', code: 'storage_full', hasUnsent: false }, 'Not in the file', 'bad'],
    [{ state: 'failed', code: 'storage_full', hasUnsent: true }, 'Not saved', 'bad'],
    [{ state: 'refused', code: 'payload_too_large', hasUnsent: true }, 'Not saved', 'bad'],
    [{ state: 'conflict' }, 'Not saved', 'bad'],
    [{ state: 'gone', who: undefined, rescued: false, hasUnsent: false }, 'Deleted', 'bad'],
  ])('%j is “%s”', (save, title, tone) => {
    expect(saveWords(save, true)).toMatchObject({ title, tone })
  })

  it('names the reason, and asks not to close the page where the browser keeps nothing', () => {
    const words = saveWords({ state: 'refused', code: 'payload_too_large', hasUnsent: true }, false)
    expect(words.detail).toBe('The note is too large. This browser cannot keep them: do not close the page.')
  })
})
