import { Link } from 'react-router'
import { pathTo } from '../app/paths.ts'
import { useSettings } from '../app/session.tsx'
import { Badge } from '../controls/status.tsx'

/** Organizations without a daemon, such as the organization of the system admins. Only their members are managed. */
export function OrganizationsWithoutVaults() {
  const organizations = useSettings().organizations.filter(({ daemonMode }) => daemonMode === undefined)
  if (organizations.length === 0) return null
  return (
    <section className="without-vaults" aria-label="Organizations without vaults">
      {organizations.map(({ id, name, slug }) => (
        <p key={id}>
          <Link to={pathTo.organization(slug, 'members')}>{name}</Link> <Badge>No vaults</Badge>
        </p>
      ))}
    </section>
  )
}
