import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { Page } from '../../app/page.tsx'
import { LiveAge } from '../../live/live-age.tsx'
import { useLiveQuery } from '../../live/live-query.ts'
import { pathTo } from '../../app/paths.ts'
import { Button } from '../../controls/button.tsx'
import { Facts } from '../../controls/facts.tsx'
import { Loaded } from '../../controls/loaded.tsx'
import { Section } from '../../controls/section.tsx'
import { Status } from '../../controls/status.tsx'
import { Time } from '../../controls/time.tsx'
import { ImageName, imageWords } from '../../daemons/image-name.tsx'
import { stateName } from '../../daemons/state-names.ts'
import { adminApi } from '../admin-api.ts'
import type { Rollout } from '../admin-answers.ts'
import { ChangeRolloutDialog, changeNames, type Change } from './change-rollout-dialog.tsx'
import { ProgressBar } from './progress-bar.tsx'
import { rolloutChanges, rolloutTone, stopWords } from './rollout-states.ts'

/** One rollout, live: its waves, its failures, and the actions to pause or end it. */
export function RolloutPage() {
  const { id = '' } = useParams()
  const rollout = useLiveQuery({
    queryKey: ['admin', 'rollout', id],
    queryFn: ({ signal }) => adminApi.readRollout(id, signal),
    every: (known) => (known?.finishedAt === undefined ? 2000 : undefined),
  })
  return (
    <Page
      title={rollout.data === undefined ? 'Rollout' : `Rollout of ${imageWords(rollout.data.image)}`}
      margin={<LiveAge queries={[rollout]} />}
      above={
        <Link to="/admin/rollouts" className="back-link">
          Rollouts
        </Link>
      }
    >
      <Loaded query={rollout} what="the rollout">
        {(found) => <RolloutView rollout={found} reload={() => void rollout.refetch()} />}
      </Loaded>
    </Page>
  )
}

function RolloutView({ rollout, reload }: { rollout: Rollout; reload: () => void }) {
  const [change, setChange] = useState<Change>()
  const { state, stateReason, counts, waves, problems, soakUntil, currentWave } = rollout

  return (
    <div className="stack-wide">
      <Section
        title="Progress"
        note={
          <Status tone={rolloutTone(state)}>
            {stateName(state)}
            {stateReason !== undefined && ` (${stateReason})`}
          </Status>
        }
        action={
          <div className="button-row">
            {rolloutChanges(state).map((name) => (
              <Button key={name} look={name === 'abort' ? 'danger' : 'plain'} onClick={() => setChange(name)}>
                {changeNames[name]}
              </Button>
            ))}
          </div>
        }
      >
        <ProgressBar counts={counts} label="Whole rollout" />
        {soakUntil !== undefined && state === 'running' && (
          <p className="fine">
            Quiet time before the next wave; it begins <Time at={soakUntil} />.
          </p>
        )}
        <Facts
          facts={[
            ['Image', <ImageName key="image" image={rollout.image} />],
            ['Reason', rollout.reason],
            ['Started', <Time key="started" at={rollout.createdAt} />],
            ['By', <code key="actor">{rollout.actor.id}</code>],
            ['Finished', rollout.finishedAt && <Time key="finished" at={rollout.finishedAt} />],
            ['Stops after', stopWords(rollout.settings.failureBudget)],
          ]}
        />
      </Section>
      <Section title="Waves">
        <ol className="stack">
          {waves.map((wave) => (
            <li key={wave.index} aria-current={wave.index === currentWave && state === 'running' ? 'step' : undefined}>
              <p className="block-label">{stateName(wave.name)}</p>
              <ProgressBar counts={wave} label={stateName(wave.name)} />
            </li>
          ))}
        </ol>
      </Section>
      {problems.length > 0 && (
        <Section title="Problems">
          <ul className="rows">
            {problems.map(({ orgId, state, reason }) => (
              <li key={orgId} className="row">
                <div className="row-line">
                  <Link to={pathTo.adminDaemon(orgId)} className="row-who">
                    <code>{orgId}</code>
                  </Link>
                  <Status tone={state === 'failed' ? 'bad' : 'warning'}>{stateName(state)}</Status>
                  {reason !== undefined && <span className="fine">{reason}</span>}
                </div>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {change !== undefined && (
        <ChangeRolloutDialog
          id={rollout.id}
          change={change}
          stopped={state === 'stopped'}
          onDone={reload}
          onClose={() => setChange(undefined)}
        />
      )}
    </div>
  )
}
