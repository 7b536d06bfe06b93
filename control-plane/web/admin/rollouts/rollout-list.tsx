import { Link } from 'react-router'
import { pathTo } from '../../app/paths.ts'
import { Empty, Status } from '../../controls/status.tsx'
import { Time } from '../../controls/time.tsx'
import { TurnPages } from '../../controls/turn-pages.tsx'
import { ImageName } from '../../daemons/image-name.tsx'
import { stateName } from '../../daemons/state-names.ts'
import type { Rollout } from '../admin-answers.ts'
import { ProgressBar } from './progress-bar.tsx'
import { rolloutTone } from './rollout-states.ts'

export type ListedRollout = Pick<Rollout, 'id' | 'image' | 'state' | 'reason' | 'counts' | 'createdAt'>
type Props = {
  page: { rollouts: ListedRollout[]; nextCursor?: string | undefined }
  cursor: string | undefined
  turnTo(cursor: string | undefined): void
}

/** A page of the rollouts, with the way to older ones. */
export function RolloutList({ page: { rollouts, nextCursor }, cursor, turnTo }: Props) {
  if (rollouts.length === 0) return <Empty title="No rollout yet" />
  return (
    <div className="stack">
      <ul className="stack">
        {rollouts.map(({ id, image, state, reason, counts, createdAt }) => (
          <li key={id} className="card stack">
            <div className="row-line">
              <Link to={pathTo.adminRollout(id)} className="row-who">
                <ImageName image={image} />
              </Link>
              <Status tone={rolloutTone(state)}>{stateName(state)}</Status>
              <span className="fine">
                <Time at={createdAt} />
              </span>
            </div>
            <p className="fine">{reason}</p>
            <ProgressBar counts={counts} label="Progress" />
          </li>
        ))}
      </ul>
      <TurnPages cursor={cursor} nextCursor={nextCursor} turnTo={turnTo} />
    </div>
  )
}
