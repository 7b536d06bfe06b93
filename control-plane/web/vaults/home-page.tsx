import { Link } from 'react-router'
import { Page } from '../app/page.tsx'
import { pathTo } from '../app/paths.ts'
import { useSettings } from '../app/session.tsx'
import { Loaded } from '../controls/loaded.tsx'
import { AdmissionOffers } from '../organizations/admission-offers.tsx'
import { ModeChoice } from '../organizations/mode-choice.tsx'
import { OrganizationsWithoutVaults } from '../organizations/organizations-without-vaults.tsx'
import { OrganizationVaultsCard } from './organization-vaults-card.tsx'
import { useVaults } from './use-vaults.ts'

/** Every vault that the person may open, by organization; the first run without any. */
export function HomePage() {
  const { organizations, profile } = useSettings()
  if (organizations.every(({ daemonMode }) => daemonMode === undefined)) return <FirstRun name={profile.name} />
  return <VaultList />
}

function VaultList() {
  const vaults = useVaults()
  const reload = () => void vaults.refetch()

  return (
    <Page
      title="Vaults"
      action={
        <Link to={pathTo.newOrganization('choose')} className="button button-plain button-normal">
          New organization
        </Link>
      }
    >
      <AdmissionOffers />
      <Loaded query={vaults} what="your vaults">
        {(organizations) => (
          <div className="stack-wide">
            {organizations.map((organization) => (
              <OrganizationVaultsCard key={organization.orgId} organization={organization} reload={reload} />
            ))}
          </div>
        )}
      </Loaded>
      <OrganizationsWithoutVaults />
    </Page>
  )
}

function FirstRun({ name }: { name: string }) {
  return (
    <Page
      title={name === '' ? 'Welcome' : `Welcome, ${name}`}
      note="Vaults belong to an organization: you alone, or you and the people you invite. Choose where yours are kept."
    >
      <AdmissionOffers />
      <ModeChoice />
      <p className="fine">
        Were you invited to an organization? Open the link in the invitation mail; you need not make one of your own.
      </p>
      <OrganizationsWithoutVaults />
    </Page>
  )
}
