import { Link } from '../../app/navigation.tsx'
import { useResource } from '../../app/resource.ts'
import { pathTo } from '../../app/routes.ts'
import { Status } from '../../controls/status.tsx'
import { ImageName } from '../../daemons/image-name.tsx'
import { stateName } from '../../daemons/state-names.ts'
import { adminApi } from '../admin-api.ts'
import { ProgressBar } from '../rollouts/progress-bar.tsx'
import { rolloutChanges, rolloutTone } from '../rollouts/rollout-states.ts'

/** Rollouts that have not ended; nothing where there is none. */
export function RunningRollouts() {
  const { resource } = useResource('rollouts', adminApi.listRollouts, { every: () => 5000 })
  if (resource.state !== 'ready') return null
  const running = resource.value.rollouts.filter(({ state }) => rolloutChanges(state).length > 0)
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
