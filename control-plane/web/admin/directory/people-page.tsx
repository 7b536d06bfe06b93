import { Badge } from '../../controls/status.tsx'
import { Table } from '../../controls/table.tsx'
import { Time } from '../../controls/time.tsx'
import { useLiveQuery } from '../../live/live-query.ts'
import { roleNames } from '../../organizations/membership.ts'
import { adminApi } from '../admin-api.ts'
import type { DirectoryPerson } from '../admin-answers.ts'
import { DirectoryList, useListFilter } from './directory-list.tsx'

/** Everybody with an account, and where they belong. */
export function PeoplePage() {
  const filter = useListFilter(['q'])
  const people = useLiveQuery({
    queryKey: ['admin', 'people', filter],
    queryFn: ({ signal }) => adminApi.listPeople(filter, signal),
    every: () => 2000,
  })
  return (
    <DirectoryList title="People" note="Everybody with an account." searchFor="Name, e-mail or id" query={people}>
      {({ people: found }) => (
        <Table kind="wide" columns={['Person', 'Organizations', 'Sign-in', 'Last seen', 'Joined']}>
          {found.map((person) => (
            <PersonRow key={person.id} person={person} />
          ))}
        </Table>
      )}
    </DirectoryList>
  )
}

function PersonRow({ person }: { person: DirectoryPerson }) {
  const { name, email, emailVerified, twoFactor, organizations, lastSeenAt, createdAt } = person
  return (
    <tr>
      <th scope="row">
        {name}
        <small className="under">
          {email}
          {!emailVerified && ' · not verified'}
        </small>
      </th>
      <td>
        {organizations.length === 0
          ? 'None'
          : organizations.map(({ orgId, orgName, role }) => (
              <span key={orgId} className="person-organization">
                {orgName} <small>{roleNames[role]}</small>
              </span>
            ))}
      </td>
      <td>{twoFactor ? <Badge tone="accent">Two-factor</Badge> : 'One factor'}</td>
      <td>{lastSeenAt === null ? 'Not signed in' : <Time at={lastSeenAt} />}</td>
      <td>
        <Time at={createdAt} />
      </td>
    </tr>
  )
}
