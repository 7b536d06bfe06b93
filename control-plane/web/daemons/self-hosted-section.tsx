import type { DaemonStatus } from '../answers.ts'
import { api } from '../api.ts'
import { useLiveQuery } from '../live/live-query.ts'
import { Facts } from '../controls/facts.tsx'
import { Loaded } from '../controls/loaded.tsx'
import { Notice } from '../controls/notice.tsx'
import { Section } from '../controls/section.tsx'
import { Status } from '../controls/status.tsx'
import { Time } from '../controls/time.tsx'

/** Whether the daemon of a self-hosted organization is connected, kept current. */
export function SelfHostedSection({ orgId }: { orgId: string }) {
  const status = useLiveQuery({
    queryKey: ['daemon-status', orgId],
    queryFn: ({ signal }) => api.readDaemonStatus(orgId, signal),
    every: () => 2000,
  })
  return (
    <Section title="Connection">
      <Loaded query={status} what="the state of the host">
        {(daemon) => <DaemonFacts daemon={daemon} />}
      </Loaded>
    </Section>
  )
}

function DaemonFacts({ daemon }: { daemon: DaemonStatus }) {
  return (
    <>
      <p role="status">
        <Status tone={daemon.connected ? 'good' : 'bad'}>{daemon.connected ? 'Connected' : 'Not connected'}</Status>
      </p>
      {daemon.instanceConflict && (
        <Notice tone="danger" title="Two hosts use the same key">
          <p>
            Another host tried to connect with the key of the one that is bound to it, and was refused. Stop the one
            that should not run. If the host has moved to another machine, rotate the key and start it there.
          </p>
        </Notice>
      )}
      {!daemon.connected && !daemon.instanceConflict && (
        <p className="fine">
          {daemon.lastSeenAt === null
            ? 'It was never connected. Start svcd on its machine with the address and the key of this organization.'
            : 'Start svcd on its machine, or look into its log there. Nothing is lost: the notes are on that machine.'}
        </p>
      )}
      <Facts
        facts={[
          ['Connected since', daemon.connectedSince && <Time key="since" at={daemon.connectedSince} />],
          [
            'Last seen',
            daemon.lastSeenAt && !daemon.connected ? <Time key="seen" at={daemon.lastSeenAt} /> : undefined,
          ],
          ['Version', daemon.version && `svcd ${daemon.version}`],
          ['Connections', daemon.connected ? String(daemon.tunnels) : undefined],
        ]}
      />
    </>
  )
}
