import type { ReactNode } from 'react'

type Props = { text: string; ranges: readonly (readonly [start: number, end: number])[] }

/** Text with highlighted ranges. */
export function MarkedText({ text, ranges }: Props) {
  const parts: ReactNode[] = []
  let at = 0
  for (const [start, end] of ranges) {
    if (start < at || end > text.length) continue
    parts.push(text.slice(at, start), <mark key={start}>{text.slice(start, end)}</mark>)
    at = end
  }
  return (
    <>
      {parts}
      {text.slice(at)}
    </>
  )
}
