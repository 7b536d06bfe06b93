import { useState } from 'react'
import { Link } from 'react-router'
import { Page } from '../../app/page.tsx'
import { LiveAge } from '../../live/live-age.tsx'
import { pathTo } from '../../app/paths.ts'
import { Button } from '../../controls/button.tsx'
import { Loaded } from '../../controls/loaded.tsx'
import { Empty, Status } from '../../controls/status.tsx'
import { Time } from '../../controls/time.tsx'
import { ImageName } from '../../daemons/image-name.tsx'
import { stateName } from '../../daemons/state-names.ts'
import { NewRollout } from './new-rollout.tsx'
import { ProgressBar } from './progress-bar.tsx'
import { rolloutTone } from './rollout-states.ts'
import { useRollouts } from './use-rollouts.ts'

/** Rollouts of an image over the fleet, newest first. */
export function RolloutListPage() {
  const rollouts = useRollouts()
  const [creating, setCreating] = useState(false)

  return (
    <Page
      title="Rollouts"
      margin={<LiveAge queries={[rollouts]} />}
      note="An image goes over the fleet in waves and stops by itself when too many fail."
      action={
        !creating && (
          <Button look="primary" onClick={() => setCreating(true)}>
            New rollout
          </Button>
        )
      }
    >
      <div className="stack-wide">
        {creating && <NewRollout onClose={() => setCreating(false)} />}
        <Loaded query={rollouts} what="rollouts">
          {({ rollouts: found }) =>
            found.length === 0 ? (
              <Empty title="No rollout yet" />
            ) : (
              <ul className="stack">
                {found.map(({ id, image, state, reason, counts, createdAt }) => (
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
            )
          }
        </Loaded>
      </div>
    </Page>
  )
}
