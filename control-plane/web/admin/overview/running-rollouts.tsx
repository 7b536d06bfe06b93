import { Link } from 'react-router'
import { pathTo } from '../../app/paths.ts'
import { Status } from '../../controls/status.tsx'
import { ImageName } from '../../daemons/image-name.tsx'
import { stateName } from '../../daemons/state-names.ts'
import { ProgressBar } from '../rollouts/progress-bar.tsx'
import { useRollouts } from '../rollouts/use-rollouts.ts'
import { rolloutChanges, rolloutTone } from '../rollouts/rollout-states.ts'

/** The rollouts that have not ended; renders nothing if there are none. */
export function RunningRollouts() {
  const { data } = useRollouts()
  if (data === undefined) return null
  const running = data.rollouts.filter(({ state }) => rolloutChanges(state).length > 0)
  return running.map(({ id, image, state, counts }) => (
    <section key={id} className="stack-tight" aria-label="Rollout">
      <h2>
        Rollout <ImageName image={image} />
      </h2>
      <ProgressBar counts={counts} label="Progress" />
      <p className="row-line">
        <Status tone={rolloutTone(state)}>{stateName(state)}</Status>
        <Link to={pathTo.adminRollout(id)}>Open</Link>
      </p>
    </section>
  ))
}
