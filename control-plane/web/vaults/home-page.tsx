import { useState } from 'react'
import { Link } from 'react-router'
import type { OrganizationVaults } from '../answers.ts'
import { Page } from '../app/page.tsx'
import { pathTo } from '../app/paths.ts'
import { useSession, useSettings } from '../app/session.tsx'
import { TextField } from '../controls/field.tsx'
import { Loaded } from '../controls/loaded.tsx'
import { Empty } from '../controls/status.tsx'
import { AdmissionOffers } from '../organizations/admission-offers.tsx'
import { ModeChoice } from '../organizations/mode-choice.tsx'
import { OrganizationsWithoutVaults } from '../organizations/organizations-without-vaults.tsx'
import { OrganizationVaultsCard } from './organization-vaults-card.tsx'
import { findVaults } from './find-vaults.ts'
import { useVaults } from './use-vaults.ts'

const LONG = 8

/** Every vault that the person may open, by organization; the first run without any. */
export function HomePage() {
  const { organizations, profile } = useSettings()
  if (organizations.every(({ daemonMode }) => daemonMode === undefined)) return <FirstRun name={profile.name} />
  return <VaultList />
}

function VaultList() {
  const vaults = useVaults()
  const reload = () => void vaults.refetch()
  const [search, setSearch] = useState('')

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
          <>
            {isLong(organizations) && (
              <div className="home-search" role="search">
                <TextField
                  label="Find a vault or organization"
                  type="search"
                  value={search}
                  onChange={(event) => setSearch(event.target.value)}
                />
              </div>
            )}
            <Found organizations={findVaults(organizations, search)} search={search} reload={reload} />
          </>
        )}
      </Loaded>
      <OrganizationsWithoutVaults />
    </Page>
  )
}

// A search is useful if not everything fits on a screen.
const isLong = (organizations: OrganizationVaults[]) =>
  organizations.length > 1 || organizations.some(({ vaults }) => vaults.length > LONG)

type FoundProps = { organizations: OrganizationVaults[]; search: string; reload: () => void }

function Found({ organizations, search, reload }: FoundProps) {
  if (organizations.length === 0 && search.trim() !== '')
    return <Empty title={`Nothing is called “${search.trim()}”`}>Neither a vault nor an organization of yours.</Empty>
  return (
    <div className="stack-wide">
      {organizations.map((organization) => (
        <OrganizationVaultsCard key={organization.orgId} organization={organization} reload={reload} />
      ))}
    </div>
  )
}

function FirstRun({ name }: { name: string }) {
  const { hosted } = useSession().config
  return (
    <Page
      title={name === '' ? 'Welcome' : `Welcome, ${name}`}
      note={`Vaults belong to an organization: you alone, or you and the people you invite.${hosted ? ' Choose where yours are kept.' : ''}`}
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
