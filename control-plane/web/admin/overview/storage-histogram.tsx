import { humanBytes } from '../../controls/relative-time.ts'
import type { Overview } from '../admin-answers.ts'

/** Daemons by the used share of their volume, in tenths. */
export function StorageHistogram({ storage: { deciles, usedBytes, capacityBytes } }: Pick<Overview, 'storage'>) {
  const most = Math.max(...deciles)
  if (most === 0) return <p className="fine">No volume has been measured yet.</p>
  const nearlyFull = deciles[9] ?? 0
  const words = `${humanBytes(usedBytes)} of ${humanBytes(capacityBytes)} used; ${nearlyFull} above 90 %`
  return (
    <>
      <div className="histogram" role="img" aria-label={`Daemons by storage used. ${words}.`}>
        {deciles.map((count, at) => (
          <i
            key={at}
            className={at === 9 ? 'histogram-full' : undefined}
            title={`${at * 10} to ${(at + 1) * 10} %: ${count}`}
            style={{ height: `${(100 * count) / most}%` }}
          />
        ))}
      </div>
      <p className="histogram-axis" aria-hidden="true">
        <span>0 %</span>
        <span>50 %</span>
        <span>100 %</span>
      </p>
      <p className="fine">{words}.</p>
    </>
  )
}
