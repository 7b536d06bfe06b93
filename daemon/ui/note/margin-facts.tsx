import { systemClock } from '@svc/shared/kit/clock.ts'
import { useDeferredValue, useMemo } from 'react'
import { dayOf } from '../app/when.ts'

type Props = { text: string; modifiedAt: string | undefined }

/** Facts about the note as a whole in the margin: when it was last changed, and its length. */
export function MarginFacts({ text, modifiedAt }: Props) {
  const settled = useDeferredValue(text)
  const words = useMemo(() => counted(settled), [settled])
  return (
    <p className="margin-facts">
      {modifiedAt !== undefined && (
        <time dateTime={modifiedAt} title={new Date(modifiedAt).toLocaleString()}>
          Changed {dayOf(new Date(modifiedAt), systemClock.now())}
        </time>
      )}
      <span>{words}</span>
    </p>
  )
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })
const LONGEST_COUNTED = 100_000

/** Counts words by the rules of the language; in very long notes only by spaces, which is fast. */
function counted(text: string): string {
  const count =
    text.length > LONGEST_COUNTED
      ? countBySpaces(text)
      : [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike).length
  return count === 1 ? '1 word' : `${count.toLocaleString()} words`
}

/** Counts words in one pass without a list of the words: a note of several megabytes has a million. */
function countBySpaces(text: string): number {
  let count = 0
  let isAfterSpace = true
  for (let at = 0; at < text.length; at++) {
    const isAtSpace = isSpace(text.charCodeAt(at))
    if (isAfterSpace && !isAtSpace) count++
    isAfterSpace = isAtSpace
  }
  return count
}

/** Control characters, the ASCII space, the no-break space and the ideographic space. */
const isSpace = (code: number) => code <= 32 || code === 0xa0 || code === 0x3000
