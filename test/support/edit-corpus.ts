import { isFailure, type ServiceError } from '@svc/shared/wire/errors.ts'
import { decideEdit } from '../../daemon/src/edits/decide-edit.ts'
import type { Random } from './hostile-text.ts'

/** The outcome of a generated edit. `wrong`: it was applied at the wrong place, or something else changed too. */
export type EditFate = { kind: 'applied' | 'rejected' | 'wrong'; noise: string; repairable: boolean; told: string }

type Noise = { name: string; spoil(text: string, random: Random): string }

/** The kinds of errors that models make when they quote a passage. */
const noises: readonly Noise[] = [
  { name: 'none', spoil: (text) => text },
  { name: 'quotes', spoil: (text) => text.replaceAll("'", '’').replaceAll('"', '“') },
  { name: 'plain quotes', spoil: (text) => text.replaceAll(/[‘’]/g, "'").replaceAll(/[“”]/g, '"') },
  { name: 'dashes', spoil: (text) => text.replaceAll('-', '–') },
  { name: 'plain dashes', spoil: (text) => text.replaceAll(/[–—]/g, '-') },
  { name: 'trailing blanks', spoil: (text) => text.replaceAll(/(\S)\n/g, '$1  \n') },
  { name: 'no trailing blanks', spoil: (text) => text.replaceAll(/[ \t]+\n/g, '\n') },
  { name: 'two blanks', spoil: (text) => text.replace(' ', '  ') },
  { name: 'line ends', spoil: (text) => text.replaceAll('\n', '\r\n') },
  { name: 'decomposed', spoil: (text) => text.normalize('NFD') },
  { name: 'composed', spoil: (text) => text.normalize('NFC') },
  { name: 'no-break blanks', spoil: (text) => text.replace(' ', '\u00a0') },
  { name: 'heading level', spoil: (text) => text.replace(/^(#+ )/m, '#$1') },
  { name: 'dropped word', spoil: (text) => text.replace(/(\w) \w+ (?=\w)/, '$1 ') },
  { name: 'moved lines', spoil: (text) => text.split('\n').toReversed().join('\n') },
  { name: 'another case', spoil: (text) => text.toUpperCase() },
]

/** An edit as a model requests it: `oldText` is the passage with noise. */
export type NoisyEdit = Passage & { noise: string; oldText: string; newText: string }

/** Chooses a passage of a note and quotes it with noise. Undefined if the quotation would match another passage. */
export function makeEdit(note: string, random: Random): NoisyEdit | undefined {
  const passage = choosePassage(note, random)
  if (!passage) return undefined
  const { from, to } = passage
  const noise = noises[random.below(noises.length)]!
  const oldText = noise.spoil(note.slice(from, to), random)
  // A quotation that occurs in the note requests exactly that text, whatever the model meant.
  const isAnother = oldText !== note.slice(from, to) && note.includes(oldText)
  if (oldText.trim() === '' || isAnother) return undefined
  const half = oldText.length / 2
  const newText = `${oldText.slice(0, half).toWellFormed()}⟦edited⟧${oldText.slice(half).toWellFormed()}`
  return { from, to, noise: noise.name, oldText, newText }
}

/** Makes one edit of a note with noise, possibly after somebody else changed the note, and judges the outcome. */
export function tryEdit(note: string, random: Random): EditFate | undefined {
  const edit = makeEdit(note, random)
  if (!edit) return undefined
  const { from, to, noise, oldText, newText } = edit
  const typed = random.below(2) === 0 ? undefined : typeElsewhere(note, edit, random)
  const current = typed?.text ?? note
  try {
    const { text, matched } = decideEdit({
      current: { text: current, baseline: typed ? 'now' : 'base' },
      baseline: 'base',
      base: typed ? note : undefined,
      edits: [{ oldText, newText }],
      onStale: 'rebase',
    })
    const start = typed && typed.at <= from ? from + typed.length : from
    const isRight = isEditedAt(current, text, { from: start, to: start + (to - from), newText })
    return {
      kind: isRight ? 'applied' : 'wrong',
      noise,
      repairable: true,
      told: `${matched.join()} ${JSON.stringify({ oldText, was: note.slice(from, to) })}`,
    }
  } catch (error) {
    if (!isFailure(error)) throw error
    return { kind: 'rejected', noise, repairable: canRepair(error, note.slice(from, to)), told: error.code }
  }
}

type Passage = { from: number; to: number }

/** One to three lines, or a few words of one. */
function choosePassage(note: string, random: Random): Passage | undefined {
  const from = note.lastIndexOf('\n', random.below(note.length + 1)) + 1
  let to = from
  for (let lines = 1 + random.below(3); lines > 0 && to < note.length; lines--) {
    const end = note.indexOf('\n', to)
    to = end < 0 ? note.length : end + 1
  }
  if (random.below(3) === 0) {
    const words = [...note.slice(from, to).matchAll(/\S+/g)]
    const first = words[random.below(words.length + 1)]
    if (!first) return undefined
    const last = words[Math.min(words.length - 1, words.indexOf(first) + 3)]!
    return { from: from + first.index, to: from + last.index + last[0].length }
  }
  return to - from < 4 ? undefined : { from, to }
}

/** Somebody types a line before or after the passage, or edits the note outside. */
function typeElsewhere(note: string, { from, to }: Passage, random: Random) {
  const before = note.lastIndexOf('\n', random.below(from + 1)) + 1
  const after = note.indexOf('\n', to + random.below(note.length - to + 1)) + 1
  const at = after === 0 || (random.below(2) === 0 && before <= from) ? Math.min(before, from) : after
  const line = `typed ${random.below(1e6)} meanwhile\n`
  return { text: note.slice(0, at) + line + note.slice(at), at, length: line.length }
}

/** True if only the passage changed, and to the new text. Blanks at its edges may change too. */
export function isEditedAt(
  before: string,
  after: string,
  { from, to, newText }: Passage & { newText: string },
): boolean {
  const head = before.slice(0, from).trimEnd()
  const tail = before.slice(to).trimStart()
  if (!after.startsWith(head) || !after.endsWith(tail)) return false
  const middle = after.slice(head.length, after.length - tail.length)
  const plain = (text: string) => text.replaceAll('\r\n', '\n').trim()
  return plain(middle) === plain(newText)
}

/**
 * True if the failure contains enough for the next call to succeed: the fresh baseline, or the real position of the
 * text.
 */
export function canRepair(error: Pick<ServiceError, 'code' | 'details'>, passage: string): boolean {
  const details = error.details as { baseline?: string; candidates?: unknown[]; nearest?: unknown[]; count?: number }
  if (error.code === 'stale_doc') return details.baseline !== undefined
  if (error.code !== 'match_count') return false
  return (details.candidates?.length ?? 0) + (details.nearest?.length ?? 0) > 0 || passage.trim() === ''
}
