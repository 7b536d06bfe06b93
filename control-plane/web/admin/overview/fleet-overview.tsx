import { lazy, Suspense } from 'react'
import { loadPart } from '@svc/shared/design/load-part.ts'
import { useLiveQuery } from '../../live/live-query.ts'
import { Loaded } from '../../controls/loaded.tsx'
import { adminApi } from '../admin-api.ts'
import type { Overview } from '../admin-answers.ts'
import { AttentionList } from './attention-list.tsx'
import { FleetPicture } from './fleet-picture.tsx'
import { RecentOperations } from './recent-operations.tsx'
import { RunningRollouts } from './running-rollouts.tsx'
import { StorageHistogram } from './storage-histogram.tsx'
import '../../style/overview.css'

// The chart library is large, and only system admins see charts.
const DayChart = lazy(() => loadPart(() => import('./day-chart.tsx')))
const EVERY_MS = 2_000

/** The fleet in numbers, kept current while the page is visible. */
export const useOverview = () =>
  useLiveQuery({
    queryKey: ['admin', 'overview'],
    queryFn: ({ signal }) => adminApi.readOverview(signal),
    every: () => EVERY_MS,
  })

/** The state of the fleet and its problems, above the list of all daemons. */
export function FleetOverview({ overview }: { overview: ReturnType<typeof useOverview> }) {
  return (
    <Loaded query={overview} what="the fleet">
      {(found) => found.total > 0 && <Pictures overview={found} />}
    </Loaded>
  )
}

function Pictures({ overview: { total, counts, attention, storage, day, operations } }: { overview: Overview }) {
  return (
    <div className="stack-wide overview">
      <FleetPicture total={total} counts={counts} />
      <AttentionList attention={attention} total={counts.attention} />
      <RunningRollouts />
      <div className="overview-columns">
        <section className="stack-tight" aria-labelledby="last-day">
          <h2 id="last-day">Awake in the last day</h2>
          <Suspense fallback={<p className="fine day-chart-place">Drawing…</p>}>
            <DayChart day={day} />
          </Suspense>
        </section>
        <section className="stack-tight" aria-labelledby="storage-used">
          <h2 id="storage-used">Storage used</h2>
          <StorageHistogram storage={storage} />
        </section>
      </div>
      <section className="stack-tight" aria-labelledby="last-operations">
        <h2 id="last-operations">Last operations</h2>
        <RecentOperations operations={operations} />
      </section>
    </div>
  )
}
