import { useId, useState } from 'react'
import { Link } from 'react-router'
import type { OrganizationVaults } from '../answers.ts'
import { pathTo } from '../app/paths.ts'
import { Button } from '../controls/button.tsx'
import { Status } from '../controls/status.tsx'
import { CreateVaultDialog } from './create-vault-dialog.tsx'
import { VaultListing } from './vault-listing.tsx'
import { describeState } from './vault-states.ts'

type Props = { organization: OrganizationVaults; reload: () => void }

/** One organization on the home page: the state of its daemon, and its vaults. */
export function OrganizationVaultsCard({ organization, reload }: Props) {
  const { orgName, orgSlug, daemonMode } = organization
  const { tone, word } = describeState(organization)
  const [creating, setCreating] = useState(false)
  const heading = useId()

  return (
    <section className="card org-card" aria-labelledby={heading}>
      <header className="ledger-row org-head">
        <div className="ledger-margin">
          <Status tone={tone}>{word}</Status>
        </div>
        <div className="ledger-main">
          <div className="org-name">
            <h2 id={heading}>
              <Link to={pathTo.organization(orgSlug)}>{orgName}</Link>
            </h2>
            <span className="fine">{daemonMode === 'self_hosted' ? 'on your own machine' : 'hosted by svc'}</span>
          </div>
          <div className="org-actions">
            {daemonMode === 'cloud_hosted' && organization.state !== 'failed' && (
              <Button size="small" look="quiet" onClick={() => setCreating(true)}>
                New vault
              </Button>
            )}
            <Link
              to={pathTo.organization(orgSlug, 'members')}
              className="button button-quiet button-small"
              aria-label={`Manage ${orgName}`}
            >
              Manage
            </Link>
          </div>
        </div>
      </header>
      <VaultListing organization={organization} reload={reload} />
      {creating && (
        <CreateVaultDialog orgId={organization.orgId} onCreated={reload} onClose={() => setCreating(false)} />
      )}
    </section>
  )
}
