import { useState } from 'react'
import { Link } from 'react-router'
import { pathTo } from '../../app/paths.ts'
import { Button } from '../../controls/button.tsx'
import { SelectField } from '../../controls/field.tsx'
import { Table } from '../../controls/table.tsx'
import { Time } from '../../controls/time.tsx'
import { useLiveQuery } from '../../live/live-query.ts'
import { adminApi } from '../admin-api.ts'
import type { DirectoryOrganization } from '../admin-answers.ts'
import { DirectoryList, useListFilter } from './directory-list.tsx'
import { LimitsDialog } from './limits-dialog.tsx'

const modeNames = { self_hosted: 'Self-hosted', cloud_hosted: 'Hosted' }

/** Every organization of the platform, whoever runs its daemon. */
export function OrganizationsPage() {
  const filter = useListFilter(['q', 'mode'])
  const [chosen, setChosen] = useState<DirectoryOrganization>()
  const organizations = useLiveQuery({
    queryKey: ['admin', 'organizations', filter],
    queryFn: ({ signal }) => adminApi.listOrganizations(filter, signal),
    every: () => 2000,
  })
  return (
    <>
      <DirectoryList
        title="Organizations"
        note="All organizations, hosted and self-hosted."
        searchFor="Name, slug or id"
        query={organizations}
        fields={
          <SelectField
            label="Daemon"
            name="mode"
            defaultValue={filter['mode'] ?? ''}
            onChange={(event) => event.currentTarget.form?.requestSubmit()}
          >
            <option value="">Any</option>
            <option value="cloud_hosted">Hosted</option>
            <option value="self_hosted">Self-hosted</option>
          </SelectField>
        }
      >
        {({ organizations: found }) => (
          <Table
            kind="wide"
            columns={[
              'Organization',
              'Daemon',
              'People',
              'Last connected',
              'Made',
              { hidden: 'Limits' },
              { hidden: 'Audit' },
            ]}
          >
            {found.map((organization) => (
              <OrganizationRow
                key={organization.orgId}
                organization={organization}
                setLimits={() => setChosen(organization)}
              />
            ))}
          </Table>
        )}
      </DirectoryList>
      {chosen !== undefined && <LimitsDialog organization={chosen} onClose={() => setChosen(undefined)} />}
    </>
  )
}

type RowProps = { organization: DirectoryOrganization; setLimits: () => void }

function OrganizationRow({ organization, setLimits }: RowProps) {
  const { orgId, orgSlug, orgName, mode, members, admins, createdAt, lastSeenAt } = organization
  return (
    <tr>
      <th scope="row">
        {mode === 'cloud_hosted' ? <Link to={pathTo.adminDaemon(orgId)}>{orgName}</Link> : orgName}
        <small className="under">{orgSlug}</small>
      </th>
      <td>{mode === null ? 'System admins' : modeNames[mode]}</td>
      <td>
        {members}
        <small className="under">{admins === 1 ? '1 admin' : `${admins} admins`}</small>
      </td>
      <td>{lastSeenAt === null ? 'Never' : <Time at={lastSeenAt} />}</td>
      <td>
        <Time at={createdAt} />
      </td>
      <td>
        <Button look="quiet" size="small" aria-label={`Limits of ${orgName}`} onClick={setLimits}>
          Limits
        </Button>
      </td>
      <td>
        <Link to={pathTo.adminAudit(orgId)} aria-label={`Audit of ${orgName}`}>
          Audit
        </Link>
      </td>
    </tr>
  )
}
