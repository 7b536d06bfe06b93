import type { HostedStatus, Organization } from '../answers.ts'
import { api } from '../api.ts'
import { useLiveQuery } from '../live/live-query.ts'
import { Facts } from '../controls/facts.tsx'
import { Loaded } from '../controls/loaded.tsx'
import { Section } from '../controls/section.tsx'
import { Status } from '../controls/status.tsx'
import { backupFacts } from './backup-facts.tsx'
import { BackupIntervalField } from './backup-interval-field.tsx'
import { ConditionsList } from './conditions-list.tsx'
import { IdleSleepField } from './idle-sleep-field.tsx'
import { idleWords } from './idle-words.ts'
import { ImageName } from './image-name.tsx'
import { stateName, stateTone } from './state-names.ts'
import { StorageMeter } from './storage-meter.tsx'

/** The hosted daemon of an organization: its state now, the state asked for, and why they differ. */
export function HostedSection({ organization }: { organization: Pick<Organization, 'id' | 'slug' | 'role'> }) {
  const hosted = useLiveQuery({
    queryKey: ['hosted-status', organization.id],
    queryFn: ({ signal }) => api.readHostedStatus(organization.slug, signal),
    every: () => 2000,
  })
  const changed = () => void hosted.refetch()
  return (
    <Section title="Host" note="Run and updated for you. It sleeps when nobody uses it.">
      <Loaded query={hosted} what="the state of the host">
        {(status) => (
          <>
            <HostedFacts status={status} />
            {organization.role === 'admin' && (
              <>
                <IdleSleepField orgId={organization.id} idleSleep={status.idleSleep} changed={changed} />
                {status.backup && (
                  <BackupIntervalField orgId={organization.id} backup={status.backup} changed={changed} />
                )}
              </>
            )}
          </>
        )}
      </Loaded>
    </Section>
  )
}

function HostedFacts({ status }: { status: HostedStatus }) {
  const { observedState, desiredState, operation } = status
  return (
    <>
      <p role="status">
        <Status tone={stateTone(observedState)}>{stateName(observedState)}</Status>
      </p>
      {observedState === 'sleeping' && desiredState === 'sleeping' && (
        <p className="fine">Opening a vault wakes it in a few seconds.</p>
      )}
      <Facts
        facts={[
          ['Asked for', stateName(desiredState)],
          ['Connection', status.relay.connected ? 'Connected' : 'Not connected'],
          ['Sleeps after', idleWords(status.idleSleep.seconds)],
          ...backupFacts(status.backup),
          ['Version', status.version && `svcd ${status.version}`],
          ['Image', status.image && <ImageName key="image" image={status.image} />],
          ['Storage', status.storage && <StorageMeter key="storage" {...status.storage} />],
          [
            'Last operation',
            operation &&
              `${stateName(operation.outcome)}${operation.reason === undefined ? '' : `: ${operation.reason}`}`,
          ],
        ]}
      />
      {status.conditions.length > 0 && <ConditionsList conditions={status.conditions} />}
    </>
  )
}
