import { Link } from 'react-router'
import type { OrganizationVaults } from '../answers.ts'
import { pathTo } from '../app/paths.ts'
import { Empty } from '../controls/status.tsx'
import { WakeDaemon } from './wake-daemon.tsx'
import { VaultRow } from './vault-row.tsx'
import { describeState } from './vault-states.ts'

type Props = { organization: OrganizationVaults; reload: () => void }

/** The vaults of one organization, or the reason why none can be shown. */
export function VaultListing({ organization, reload }: Props) {
  const { meaning } = describeState(organization)
  return (
    <>
      {meaning !== undefined && (
        <p className="state-meaning">
          {meaning}{' '}
          {(organization.state === 'offline' || organization.state === 'failed') && (
            <Link to={pathTo.organization(organization.orgSlug, 'host')}>Look at the host</Link>
          )}
        </p>
      )}
      {organization.vaults.length > 0 ? (
        <ul className="vault-rows">
          {organization.vaults.map((vault) => (
            <VaultRow key={vault.id} organization={organization} vault={vault} />
          ))}
        </ul>
      ) : (
        organization.state === 'available' && <NoVaults organization={organization} />
      )}
      {organization.state === 'sleeping' && organization.vaults.length === 0 && (
        <WakeDaemon organization={organization} onWoken={reload} />
      )}
    </>
  )
}

function NoVaults({ organization }: { organization: OrganizationVaults }) {
  if (organization.daemonMode === 'cloud_hosted')
    return (
      <Empty title="No vaults yet">
        <p>Make the first one with “New vault”. It begins with a few notes that show how things work.</p>
      </Empty>
    )
  return (
    <Empty title="No vaults yet">
      <p>
        Vaults of this organization are made on the machine of its host: open the host there, by default at{' '}
        <code>http://127.0.0.1:7382</code>, and choose “New vault”.
      </p>
    </Empty>
  )
}
