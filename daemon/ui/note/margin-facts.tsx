import { systemClock } from '@svc/shared/kit/clock.ts'
import { useDeferredValue, useMemo } from 'react'
import { dayOf } from '../app/when.ts'

type Props = { text: string; modifiedAt: string | undefined }

/** What the margin says of the note as a whole: when it was last changed, and how long it is. */
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

/** Words as the language has them; in very long notes only the spaces are counted, which is fast. */
function counted(text: string): string {
  const count =
    text.length > LONGEST_COUNTED
      ? (text.match(/\S+/g)?.length ?? 0)
      : [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike).length
  return count === 1 ? '1 word' : `${count.toLocaleString()} words`
}
