import { Link } from '../app/navigation.tsx'
import { NotFoundPage } from '../app/not-found-page.tsx'
import type { Route } from '../app/routes.ts'
import { useSettings } from '../app/session.tsx'
import { AuditPage } from './audit-page.tsx'
import { ClaimsPage } from './claims-page.tsx'
import { DaemonPage } from './fleet/daemon-page.tsx'
import { FleetPage } from './fleet/fleet-page.tsx'
import { RolloutPage } from './rollouts/rollout-page.tsx'
import { RolloutListPage } from './rollouts/rollout-list-page.tsx'

const tabs = [
  { name: 'Hosted daemons', to: '/admin', pages: ['admin', 'admin-daemon'] },
  { name: 'Rollouts', to: '/admin/rollouts', pages: ['admin-rollouts', 'admin-rollout'] },
  { name: 'Claims', to: '/admin/claims', pages: ['admin-claims'] },
  { name: 'Audit', to: '/admin/audit', pages: ['admin-audit'] },
]

/** System administration; everybody else finds nothing here. */
export function AdminArea({ route }: { route: Route }) {
  const { systemAdmin } = useSettings()
  if (!systemAdmin) return <NotFoundPage />
  return (
    <>
      <nav className="tabs" aria-label="Administration">
        {tabs.map(({ name, to, pages }) => (
          <Link key={to} to={to} aria-current={pages.includes(route.page) ? 'page' : undefined}>
            {name}
          </Link>
        ))}
      </nav>
      <AdminPage route={route} />
    </>
  )
}

function AdminPage({ route }: { route: Route }) {
  switch (route.page) {
    case 'admin-daemon':
      return <DaemonPage key={route.orgId} orgId={route.orgId} />
    case 'admin-rollouts':
      return <RolloutListPage />
    case 'admin-rollout':
      return <RolloutPage key={route.id} id={route.id} />
    case 'admin-claims':
      return <ClaimsPage />
    case 'admin-audit':
      return <AuditPage />
    default:
      return <FleetPage />
  }
}
