import { Link, useParams } from 'react-router'
import { useQueryClient } from '@tanstack/react-query'
import { Page } from '../../app/page.tsx'
import { LiveAge } from '../../live/live-age.tsx'
import { useLiveQuery } from '../../live/live-query.ts'
import { pathTo } from '../../app/paths.ts'
import { Facts } from '../../controls/facts.tsx'
import { Loaded } from '../../controls/loaded.tsx'
import { Notice } from '../../controls/notice.tsx'
import { Section } from '../../controls/section.tsx'
import { Badge, Empty, Status } from '../../controls/status.tsx'
import { Time } from '../../controls/time.tsx'
import { backupFacts } from '../../daemons/backup-facts.tsx'
import { ConditionsList } from '../../daemons/conditions-list.tsx'
import { ImageName } from '../../daemons/image-name.tsx'
import { actionNames } from '../../daemons/action-names.ts'
import { stateName, stateTone } from '../../daemons/state-names.ts'
import { StorageMeter } from '../../daemons/storage-meter.tsx'
import { adminApi } from '../admin-api.ts'
import type { InventoryItem } from '../admin-answers.ts'
import { isStuck } from '../is-stuck.ts'
import { DaemonActions } from './daemon-actions.tsx'
import { EventsSection } from './events-section.tsx'
import { MutationsSection } from '../mutations-section.tsx'

/** One organization's hosted daemon: state, actions, what happened and who did it. */
export function DaemonPage() {
  const { orgId = '' } = useParams()
  const client = useQueryClient()
  const queryKey = ['admin', 'organization', orgId]
  const daemon = useLiveQuery({
    queryKey: [...queryKey, 'daemon'],
    queryFn: ({ signal }) => adminApi.listDaemons({ orgId }, signal).then(({ daemons }) => daemons[0] ?? null),
    every: () => 2000,
  })
  const refresh = () => void client.invalidateQueries({ queryKey })

  return (
    <Loaded query={daemon} what="the daemon">
      {(item) =>
        item === null ? (
          <Page
            title="Hosted daemon"
            above={
              <Link to="/admin" className="back-link">
                Hosted daemons
              </Link>
            }
          >
            <Empty title="This organization is not in the inventory">
              <p>
                It may run its own daemon, or may be gone. Its <Link to={pathTo.adminAudit(orgId)}>audit</Link> is kept.
              </p>
            </Empty>
          </Page>
        ) : (
          <Page
            title={item.orgName}
            above={
              <Link to="/admin" className="back-link">
                Hosted daemons
              </Link>
            }
            margin={<LiveAge queries={[daemon]} />}
            badge={item.entitlement !== null && <Badge>{stateName(item.entitlement.kind)}</Badge>}
            note={<code>{item.orgId}</code>}
          >
            <div className="stack-wide">
              <DaemonActions item={item} onDone={refresh} />
              <StateSection item={item} />
              <EventsSection orgId={orgId} />
              <MutationsSection orgId={orgId} />
            </div>
          </Page>
        )
      }
    </Loaded>
  )
}

function StateSection({ item: { daemon, claim, problem, entitlement, backup } }: { item: InventoryItem }) {
  if (daemon === null)
    return (
      <Section title="State">
        {problem !== null && <ProblemNotice problem={problem} />}
        {entitlement === null && <p className="fine">There is no daemon. Grant hosted access to have one made.</p>}
        {entitlement !== null && problem === null && <p className="fine">The daemon is being made.</p>}
      </Section>
    )
  const { storage, provider, relay, operation } = daemon
  return (
    <Section
      title="State"
      note={<Status tone={stateTone(daemon.observedState)}>{stateName(daemon.observedState)}</Status>}
      action={daemon.paused && <Badge>Paused</Badge>}
    >
      {problem !== null && <ProblemNotice problem={problem} />}
      <Facts
        facts={[
          ['Asked for', stateName(daemon.desiredState)],
          ['Image asked for', <ImageName key="image" image={daemon.image} />],
          ['Image now', daemon.servingImage && <ImageName key="serving" image={daemon.servingImage} />],
          ['Last good image', daemon.lastGoodImage && <ImageName key="good" image={daemon.lastGoodImage} />],
          ['Version', daemon.version],
          [
            'Storage',
            storage.usedBytes !== undefined && storage.capacityBytes !== undefined ? (
              <StorageMeter key="storage" usedBytes={storage.usedBytes} capacityBytes={storage.capacityBytes} />
            ) : (
              storage.size
            ),
          ],
          ...backupFacts(backup ?? undefined),
          ['Connection key', `generation ${relay.keyGeneration}, accepted ${relay.acceptedGeneration}`],
          ['App', provider.app && <code key="app">{provider.app}</code>],
          ['Machine', provider.machine && <code key="machine">{provider.machine}</code>],
          ['Volume', provider.volume && <code key="volume">{provider.volume}</code>],
          ['Created', <Time key="created" at={daemon.createdAt} />],
          ['Last operation', operation && <OperationFact key="operation" {...operation} />],
          ['Running now', claim && `${actionNames[claim.action]}${isStuck(claim) ? ' (stuck)' : ''}`],
        ]}
      />
      {daemon.conditions.length > 0 && <ConditionsList conditions={daemon.conditions} />}
    </Section>
  )
}

function ProblemNotice({ problem }: { problem: string }) {
  return (
    <Notice tone="danger" title="Somebody has to look at this daemon">
      <p>{problem}</p>
    </Notice>
  )
}

function OperationFact({ id, outcome, reason }: { id: string; outcome: string; reason?: string }) {
  return (
    <>
      {stateName(outcome)}
      {reason !== undefined && ` (${reason})`} <code>{id}</code>
    </>
  )
}
