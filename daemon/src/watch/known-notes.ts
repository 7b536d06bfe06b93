import { numbersInOrder, type Known } from './remembered.ts'
import type { Pause } from './slices.ts'

/** A note and the git name of its content. */
export type NamedNote = { path: string; blob: string }

/**
 * The notes of a vault at one time, for comparison with an older list of notes. The list can be as long as the vault
 * has notes and is not stored: the caller passes each of its notes once, ideally in byte order of the paths.
 */
export type KnownNotes = {
  /** Compares a note of the list with the vault: same content, other content, or not known. */
  meet(note: NamedNote): 'same' | 'other' | 'unknown'
  /** The notes that were not met with the same content; `isNew` for those that were not met at all. */
  others(): Iterable<NamedNote & { isNew: boolean }>
}

// The state of each remembered file, by its number. A file that is not there counts as met.
const MET = 0
const NEW = 1
const OTHER = 2

/** The notes among the known files, collected in slices. Changes `isThere`. */
export async function knownNotes({ files, isThere: states, apart }: Known, pause: Pause): Promise<KnownNotes> {
  const numberOf = numbersInOrder(files)
  const notesApart = new Map<string, { blob: string; state: number }>()
  for (const { path, facts } of apart) {
    if (facts?.kind === 'note') notesApart.set(path, { blob: facts.blob, state: NEW })
    await pause()
  }

  return {
    meet({ path, blob }) {
      const note = notesApart.get(path)
      if (note) {
        note.state = note.blob === blob ? MET : OTHER
        return note.state === MET ? 'same' : 'other'
      }
      const number = numberOf(path)
      if (number === -1 || states[number] === MET || !files.isNote(number)) return 'unknown'
      states[number] = files.blob(number) === blob ? MET : OTHER
      return states[number] === MET ? 'same' : 'other'
    },
    *others() {
      for (let number = 0; number < states.length; number++)
        if (states[number] !== MET && files.isNote(number))
          yield { path: files.path(number), blob: files.blob(number), isNew: states[number] === NEW }
      for (const [path, { blob, state }] of notesApart) if (state !== MET) yield { path, blob, isNew: state === NEW }
    },
  }
}
