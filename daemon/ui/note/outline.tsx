import type { OutlineEntry } from '../markdown/headings.ts'

type Props = { outline: readonly OutlineEntry[]; activeLine: number; onGo: (entry: OutlineEntry) => void }

/** The note's headings; the one that is being read is marked. */
export function Outline({ outline, activeLine, onGo }: Props) {
  if (outline.length === 0) return <p className="quiet">No headings</p>
  const top = Math.min(...outline.map(({ level }) => level))
  const active = outline.findLast(({ line }) => line <= activeLine)
  return (
    <ul className="outline">
      {outline.map((entry) => (
        <li key={entry.id} data-depth={entry.level - top}>
          <button type="button" aria-current={entry === active ? 'location' : undefined} onClick={() => onGo(entry)}>
            {entry.text || 'Untitled'}
          </button>
        </li>
      ))}
    </ul>
  )
}
