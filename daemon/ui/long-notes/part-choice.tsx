import type { NotePart } from '../markdown/note-parts.ts'

type Props = { parts: readonly NotePart[]; nth: number; onShow: (nth: number) => void; isBelow?: boolean }

/** Says which part of a long note is shown, and leads to the others. */
export function PartChoice({ parts, nth, onShow, isBelow = false }: Props) {
  const { line, last } = parts[nth]!
  const lines = parts.at(-1)!.last
  return (
    <nav className="part-choice" aria-label={isBelow ? 'Other parts of the note' : 'Parts of the note'}>
      {!isBelow && (
        <p>
          This note is long: part {nth + 1} of {parts.length} is shown, lines {line.toLocaleString()} to{' '}
          {last.toLocaleString()} of {lines.toLocaleString()}. Finding in the page and printing see this part alone.
          Edit shows the whole text.
        </p>
      )}
      <button type="button" className="button" disabled={nth === 0} onClick={() => onShow(nth - 1)}>
        Previous part
      </button>
      <button type="button" className="button" disabled={nth === parts.length - 1} onClick={() => onShow(nth + 1)}>
        Next part
      </button>
    </nav>
  )
}
