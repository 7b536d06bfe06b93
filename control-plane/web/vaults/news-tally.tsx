import type { Vault } from '../answers.ts'
import { tallyOf } from './news-words.ts'

const INKS = 5

/**
 * A stroke for each note with news, in the colour of the person who changed it, or hatched for an agent. The text
 * beside it says the same.
 */
export function NewsTally({ news }: { news: NonNullable<Vault['news']> }) {
  if (news.length === 0) return null
  const { strokes, more } = tallyOf(news)
  return (
    <span className="tally" aria-hidden="true">
      {strokes.flatMap(({ author, count }, position) =>
        Array.from({ length: count }, (_, stroke) => (
          <i
            key={`${position}.${stroke}`}
            className={author.kind === 'mcp_client' ? 'stroke-agent' : `stroke-${1 + (position % INKS)}`}
          />
        )),
      )}
      {more > 0 && <small>+{more.toLocaleString('en')}</small>}
    </span>
  )
}
