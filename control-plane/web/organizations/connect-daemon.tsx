import { Link } from 'react-router'
import { api } from '../api.ts'
import { toFailure } from '../api-failure.ts'
import { useLiveQuery } from '../live/live-query.ts'
import { pathTo } from '../app/paths.ts'
import { FailureNotice } from '../controls/notice.tsx'
import { Section } from '../controls/section.tsx'
import { Status } from '../controls/status.tsx'
import { useVaults } from '../vaults/use-vaults.ts'
import { VaultListing } from '../vaults/vault-listing.tsx'

type Props = { organization: { id: string; slug: string } }

/** Waits for the first connection of a daemon, then shows the vaults that it serves. */
export function ConnectDaemon({ organization }: Props) {
  const status = useLiveQuery({
    queryKey: ['daemon-status', organization.id],
    queryFn: ({ signal }) => api.readDaemonStatus(organization.id, signal),
    every: () => 2000,
  })
  const connected = status.data?.connected === true
  const version = status.data?.version

  return (
    <Section title="Connection">
      <p role="status" className="connect-line">
        {connected ? (
          <Status tone="good">Connected{version === undefined ? '' : ` · svcd ${version}`}</Status>
        ) : (
          <Status tone="busy">Waiting for the host to connect…</Status>
        )}
      </p>
      {status.error !== null && <FailureNotice failure={toFailure(status.error)} />}
      {connected ? (
        <ServedVaults orgId={organization.id} />
      ) : (
        <p className="fine">
          Start the host as shown above. This line changes by itself; you may also leave, and find the state later on
          the <Link to={pathTo.organization(organization.slug, 'host')}>host page</Link>.
        </p>
      )}
    </Section>
  )
}

function ServedVaults({ orgId }: { orgId: string }) {
  const { data, refetch } = useVaults()
  if (data === undefined) return null
  const mine = data.find((found) => found.orgId === orgId)
  return (
    <>
      {mine !== undefined && <VaultListing organization={mine} reload={() => void refetch()} />}
      <p>
        <Link to="/">Go to all vaults</Link>
      </p>
    </>
  )
}
