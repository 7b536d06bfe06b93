import { counted } from '../app/counted.ts'
import type { OutlineEntry } from '../markdown/headings.ts'

type Props = { outline: readonly OutlineEntry[]; activeLine: number; onGo: (entry: OutlineEntry) => void }

// With more headings, every key would render thousands of elements.
const MOST_SHOWN = 500

/** The note's headings; the one being read is marked. If there are very many, only those around it are shown. */
export function Outline({ outline, activeLine, onGo }: Props) {
  if (outline.length === 0) return <p className="quiet">No headings</p>
  const top = outline.reduce((least, { level }) => Math.min(least, level), 6)
  const at = outline.findLastIndex(({ line }) => line <= activeLine)
  const active = outline[at]
  const first = Math.max(0, Math.min(at - MOST_SHOWN / 2, outline.length - MOST_SHOWN))
  const shown = outline.slice(first, first + MOST_SHOWN)
  return (
    <ul className="outline">
      {first > 0 && <li className="quiet">{counted(first, 'heading')} above</li>}
      {shown.map((entry) => (
        <li key={entry.id} data-depth={entry.level - top}>
          <button type="button" aria-current={entry === active ? 'location' : undefined} onClick={() => onGo(entry)}>
            {entry.text || 'Untitled'}
          </button>
        </li>
      ))}
      {first + shown.length < outline.length && (
        <li className="quiet">{counted(outline.length - first - shown.length, 'heading')} below</li>
      )}
    </ul>
  )
}
