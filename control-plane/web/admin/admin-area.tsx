import { Route, Routes, useLocation } from 'react-router'
import { NotFoundPage } from '../app/not-found-page.tsx'
import { useSession, useSettings } from '../app/session.tsx'
import { Tabs } from '../controls/tabs.tsx'
import { AgentRulesPage } from './agent-rules-page.tsx'
import { AuditPage } from './audit-page.tsx'
import { OrganizationsPage } from './directory/organizations-page.tsx'
import { PeoplePage } from './directory/people-page.tsx'
import { ClaimsPage } from './claims-page.tsx'
import { DaemonPage } from './fleet/daemon-page.tsx'
import { FleetPage } from './fleet/fleet-page.tsx'
import { RolloutPage } from './rollouts/rollout-page.tsx'
import { RolloutListPage } from './rollouts/rollout-list-page.tsx'

const tabs = [
  { name: 'Hosted daemons', to: '/admin', holds: /^\/admin(\/organizations\/.+)?\/?$/ },
  { name: 'Organizations', to: '/admin/organizations', holds: /^\/admin\/organizations\/?$/ },
  { name: 'People', to: '/admin/people', holds: /^\/admin\/people\/?$/ },
  { name: 'Rollouts', to: '/admin/rollouts', holds: /^\/admin\/rollouts(\/|$)/ },
  { name: 'Stuck operations', to: '/admin/claims', holds: /^\/admin\/claims\/?$/ },
  { name: 'Agents', to: '/admin/agents', holds: /^\/admin\/agents\/?$/ },
  { name: 'Audit', to: '/admin/audit', holds: /^\/admin\/audit\/?$/ },
]

/** System administration. Everybody else gets the page for unknown addresses. */
export default function AdminArea() {
  const { systemAdmin } = useSettings()
  const {
    config: { agents },
  } = useSession()
  const { pathname } = useLocation()
  if (!systemAdmin) return <NotFoundPage />
  return (
    <>
      <Tabs
        label="Administration"
        tabs={tabs
          .filter(({ to }) => agents || to !== '/admin/agents')
          .map(({ name, to, holds }) => ({ name, to, shown: holds.test(pathname) }))}
      />
      <Routes>
        <Route index element={<FleetPage />} />
        <Route path="organizations" element={<OrganizationsPage />} />
        <Route path="people" element={<PeoplePage />} />
        <Route path="organizations/:orgId" element={<DaemonPage key={pathname} />} />
        <Route path="rollouts" element={<RolloutListPage />} />
        <Route path="rollouts/:id" element={<RolloutPage key={pathname} />} />
        <Route path="claims" element={<ClaimsPage />} />
        {agents && <Route path="agents" element={<AgentRulesPage />} />}
        <Route path="audit" element={<AuditPage />} />
        <Route path="*" element={<NotFoundPage />} />
      </Routes>
    </>
  )
}
