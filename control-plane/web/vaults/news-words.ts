import type { Vault } from '../answers.ts'

type Author = NonNullable<Vault['changedBy']>
type NewsBy = NonNullable<Vault['news']>[number]

/** The most strokes of a tally. The rest is shown as a number. */
const MOST_STROKES = 12

/** The name of an author for a reader: "you", the name of a person or agent, or the kind of program. */
export function authorName({ kind, id, name }: Author, reader: string): string {
  if (id === reader) return 'You'
  if (kind === 'local') return 'Somebody at the host'
  if (kind === 'outside') return 'Another editor'
  return name
}

/** The content and the news of a vault, in one or two sentences. Pure. */
export function newsWords({ notes, news, changedAt }: Vault, reader: string): string {
  if (notes === undefined) return ''
  if (notes === 0 && changedAt === undefined) return 'No notes yet'
  const count = `${notes.toLocaleString('en')} ${notes === 1 ? 'note' : 'notes'}.`
  if (news === undefined) return count
  const parts = news.map((one) => ({ number: one.notes.toLocaleString('en'), who: midSentence(one.author, reader) }))
  if (parts.length === 0) return `${count} Nothing new`
  const told = parts.slice(0, 3).map(({ number, who }, index) => `${number}${index === 0 ? ' changed' : ''} by ${who}`)
  const others = parts.length - told.length
  return `${count} Since you last read: ${told.join(', ')}${others > 0 ? ` and ${others} more` : ''}`
}

/**
 * The number of strokes for each author, at most twelve in total, and the number of notes without a stroke. Each shown
 * author has at least one stroke. Pure.
 */
export function tallyOf(news: readonly NewsBy[]): { strokes: { author: Author; count: number }[]; more: number } {
  const shown = news.slice(0, MOST_STROKES)
  const total = news.reduce((sum, { notes }) => sum + notes, 0)
  let free = MOST_STROKES - shown.length
  const strokes = shown.map(({ author, notes }) => {
    const extra = Math.min(notes - 1, free)
    free -= extra
    return { author, count: 1 + extra }
  })
  return { strokes, more: total - strokes.reduce((sum, { count }) => sum + count, 0) }
}

function midSentence(author: Author, reader: string): string {
  const name = authorName(author, reader)
  return author.kind === 'local' || author.kind === 'outside' ? `${name[0]!.toLowerCase()}${name.slice(1)}` : name
}
