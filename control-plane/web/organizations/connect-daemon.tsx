import { api } from '../api.ts'
import { Link } from '../app/navigation.tsx'
import { useResource } from '../app/resource.ts'
import { pathTo } from '../app/routes.ts'
import { FailureNotice } from '../controls/notice.tsx'
import { Section } from '../controls/section.tsx'
import { Status } from '../controls/status.tsx'
import { VaultListing } from '../vaults/vault-listing.tsx'

type Props = { organization: { id: string; slug: string } }

/** Waits for the first connection of a daemon, then shows the vaults that it serves. */
export function ConnectDaemon({ organization }: Props) {
  const { resource } = useResource(
    `connect ${organization.id}`,
    (signal) => api.readDaemonStatus(organization.id, signal),
    {
      every: (resource) => (resource.state === 'ready' && resource.value.connected ? 15_000 : 2000),
    },
  )
  const connected = resource.state === 'ready' && resource.value.connected
  const version = resource.state === 'ready' ? resource.value.version : undefined

  return (
    <Section title="Connection">
      <p role="status" className="connect-line">
        {connected ? (
          <Status tone="good">Connected{version === undefined ? '' : ` · svcd ${version}`}</Status>
        ) : (
          <Status tone="busy">Waiting for the daemon to connect…</Status>
        )}
      </p>
      {resource.state === 'failed' && <FailureNotice failure={resource.failure} />}
      {resource.state === 'ready' && <FailureNotice failure={resource.trouble} />}
      {connected ? (
        <ServedVaults orgId={organization.id} />
      ) : (
        <p className="fine">
          Start the daemon as shown above. This line changes by itself; you may also leave, and find the state later on
          the <Link to={pathTo.organization(organization.slug, 'daemon')}>daemon page</Link>.
        </p>
      )}
    </Section>
  )
}

function ServedVaults({ orgId }: { orgId: string }) {
  const { resource, reload } = useResource(`vaults of ${orgId}`, api.listVaults, {
    every: (resource) =>
      resource.state === 'ready' && resource.value.some((found) => found.orgId === orgId && found.vaults.length > 0)
        ? undefined
        : 2000,
  })
  if (resource.state !== 'ready') return null
  const mine = resource.value.find((found) => found.orgId === orgId)
  return (
    <>
      {mine !== undefined && <VaultListing organization={mine} reload={reload} />}
      <p>
        <Link to="/">Go to all vaults</Link>
      </p>
    </>
  )
}
