import type { ErrorCode } from '@svc/shared/wire/errors.ts'
import { Refusal } from '../api/refusal.ts'
import { failureText } from '../app/failure-text.ts'
import type { SaveState } from '../live/save-state.ts'

/** The text for a save state. `detail` explains what it means for the note. */
export type SaveWords = { title: string; detail: string; tone: 'good' | 'quiet' | 'bad' }

const kept = 'Your words stay on this device.'

/** The text for a save state. Pure. */
export function saveWords(save: SaveState | undefined, canKeep: boolean): SaveWords {
  const here = canKeep ? kept : 'This browser cannot keep them: do not close the page.'
  const bad = (detail: string): SaveWords => ({ title: 'Not saved', detail, tone: 'bad' })
  switch (save?.state) {
    case undefined:
    case 'loading':
      return { title: 'Saved', detail: 'The text is in its file.', tone: 'good' }
    case 'saving':
      return { title: 'Saving', detail: 'Your words are on their way to the host.', tone: 'quiet' }
    case 'saved':
      return { title: 'Saved', detail: 'The host has your words and is about to write them to the file.', tone: 'good' }
    case 'durable':
      return { title: `Saved ${timeOf(save.at)}`, detail: 'The text is in its file.', tone: 'good' }
    case 'offline':
      return save.hasUnsent
        ? bad(`Offline. ${here}`)
        : { title: 'Offline', detail: 'Nothing of yours is unsaved.', tone: 'quiet' }
    case 'asleep':
      return {
        title: 'Asleep',
        detail: 'Nobody used this vault for a while. It wakes when you go on. Nothing of yours is unsaved.',
        tone: 'quiet',
      }
    case 'failed': {
      const { title } = refusalText(save.code)
      return save.hasUnsent
        ? bad(`${title}. ${here}`)
        : { title: 'Not in the file', detail: `${title}. The host has your words and tries again.`, tone: 'bad' }
    }
    case 'refused':
      return save.hasUnsent
        ? bad(`${refusalText(save.code).title}. ${here}`)
        : { title: 'Offline', detail: refusalText(save.code).title, tone: 'quiet' }
    case 'conflict':
      return bad(`You and somebody else changed the same places. ${here}`)
    case 'gone':
      return save.hasUnsent
        ? bad(`The note was deleted. ${here}`)
        : { title: 'Deleted', detail: 'The note was deleted.', tone: 'bad' }
  }
}

/** The text for an error code of the live session. */
export const refusalText = (code: string) =>
  failureText(new Refusal({ code: code as ErrorCode, message: 'The host does not take this text' }))

const timeOf = (at: string): string =>
  new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
