import { Link, Navigate, useParams } from 'react-router'
import { AgentsTab } from '../agents/agents-tab.tsx'
import { NotFoundPage } from '../app/not-found-page.tsx'
import { Page } from '../app/page.tsx'
import { pathTo, type OrganizationTab } from '../app/paths.ts'
import { useOrganization, useSession } from '../app/session.tsx'
import { Badge } from '../controls/status.tsx'
import { Tabs } from '../controls/tabs.tsx'
import { DaemonTab } from '../daemons/daemon-tab.tsx'
import { AuditTab } from './audit-tab.tsx'
import { MembersTab } from './members-tab.tsx'
import { SettingsTab } from './settings-tab.tsx'
import { VaultsTab } from '../vaults/vaults-tab.tsx'

const tabNames: Record<OrganizationTab, string> = {
  vaults: 'Vaults',
  members: 'Members',
  agents: 'Agents',
  host: 'Host',
  settings: 'Settings',
  audit: 'Audit',
}

/** One organization. Its tabs are addresses. Members see neither agents nor settings. */
export default function OrganizationRoute() {
  const { slug = '', tab = 'vaults' } = useParams()
  return <OrganizationPage key={slug} slug={slug} tab={tab} />
}

function OrganizationPage({ slug, tab }: { slug: string; tab: string }) {
  const organization = useOrganization(slug)
  const { config } = useSession()
  if (tab === 'daemon') return <Navigate to={pathTo.organization(slug, 'host')} replace />
  if (organization === undefined || !Object.hasOwn(tabNames, tab)) return <NotFoundPage />
  const { role, daemonMode } = organization
  const tabs = (Object.keys(tabNames) as OrganizationTab[]).filter((name) => {
    if (name === 'settings') return role === 'admin'
    // The actions of system admins are in the platform's own chain, which the console shows.
    if (name === 'audit') return role === 'admin' && daemonMode !== undefined
    if (name === 'agents') return role === 'admin' && daemonMode !== undefined && config.agents
    return daemonMode !== undefined || (name !== 'host' && name !== 'vaults')
  })
  const shown = tabs.find((name) => name === tab) ?? tabs[0] ?? 'members'

  return (
    <Page
      title={organization.name}
      part={tabNames[shown]}
      above={
        <Link to="/" className="back-link">
          Vaults
        </Link>
      }
      badge={daemonMode !== undefined && <Badge>{daemonMode === 'self_hosted' ? 'Self-hosted' : 'Hosted'}</Badge>}
    >
      <Tabs
        label={`Parts of ${organization.name}`}
        tabs={tabs.map((name) => ({
          name: tabNames[name],
          to: pathTo.organization(slug, name),
          shown: name === shown,
        }))}
      />
      <div className="stack-wide">
        {shown === 'vaults' && <VaultsTab organization={organization} />}
        {shown === 'members' && <MembersTab organization={organization} />}
        {shown === 'agents' && <AgentsTab organization={organization} />}
        {shown === 'host' && <DaemonTab organization={organization} />}
        {shown === 'audit' && <AuditTab organization={organization} />}
        {shown === 'settings' && <SettingsTab organization={organization} />}
      </div>
    </Page>
  )
}
