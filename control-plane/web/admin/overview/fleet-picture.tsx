import type { Overview } from '../admin-answers.ts'
import { MOST_MARKS, pictureParts, type PicturePart } from './fleet-picture-parts.ts'

/**
 * The fleet at a glance: one mark for each daemon, worst first, or a bar if there are too many. The legend says the
 * same in words.
 */
export function FleetPicture({ total, counts }: Pick<Overview, 'total' | 'counts'>) {
  const parts = pictureParts(counts)
  if (parts.length === 0) return null
  return (
    <figure className="fleet-picture">
      {total > MOST_MARKS ? <Bar parts={parts} total={total} /> : <Marks parts={parts} />}
      <figcaption className="fleet-key">
        {parts.map(({ standing, count, words }) => (
          <span key={standing}>
            <i className={`fleet-mark fleet-${standing}`} aria-hidden="true" />
            <b>{count.toLocaleString('en')}</b> {words}
          </span>
        ))}
      </figcaption>
    </figure>
  )
}

function Marks({ parts }: { parts: PicturePart[] }) {
  return (
    <div className="fleet-marks" aria-hidden="true">
      {parts.flatMap(({ standing, count }) =>
        Array.from({ length: count }, (_, at) => (
          <i key={`${standing} ${at}`} className={`fleet-mark fleet-${standing}`} />
        )),
      )}
    </div>
  )
}

function Bar({ parts, total }: { parts: PicturePart[]; total: number }) {
  return (
    <div className="fleet-bar" aria-hidden="true">
      {parts.map(({ standing, count }) => (
        <i key={standing} className={`fleet-mark fleet-${standing}`} style={{ width: `${(100 * count) / total}%` }} />
      ))}
    </div>
  )
}
