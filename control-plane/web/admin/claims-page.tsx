import { useState } from 'react'
import { Link } from 'react-router'
import { Page } from '../app/page.tsx'
import { LiveAge } from '../live/live-age.tsx'
import { useLiveQuery } from '../live/live-query.ts'
import { pathTo } from '../app/paths.ts'
import { Button } from '../controls/button.tsx'
import { Loaded } from '../controls/loaded.tsx'
import { Empty, Status } from '../controls/status.tsx'
import { Table } from '../controls/table.tsx'
import { Time } from '../controls/time.tsx'
import { actionNames } from '../daemons/action-names.ts'
import { adminApi } from './admin-api.ts'
import type { Claim } from './admin-answers.ts'
import { isStuck } from './is-stuck.ts'
import { RecoverDialog } from './recover-dialog.tsx'

/** The operations in progress and their executors. An operation whose executor was lost is released here. */
export function ClaimsPage() {
  const claims = useLiveQuery({
    queryKey: ['admin', 'claims'],
    queryFn: ({ signal }) => adminApi.listClaims(signal),
    every: () => 2000,
  })
  const [recovering, setRecovering] = useState<Claim>()

  return (
    <Page
      title="Stuck operations"
      margin={<LiveAge queries={[claims]} />}
      note="One operation runs at a time in each organization. One whose process was lost is stuck until somebody releases it."
    >
      <Loaded query={claims} what="operations">
        {({ claims }) =>
          claims.length === 0 ? (
            <Empty title="Nothing is stuck, and no operation is running" />
          ) : (
            <div className="card">
              <Table
                kind="wide"
                columns={['Organization', 'Operation', 'Runs in', 'Since', 'State', { hidden: 'Release' }]}
              >
                {claims.map((claim) => (
                  <ClaimRow key={claim.orgId} claim={claim} onRecover={() => setRecovering(claim)} />
                ))}
              </Table>
            </div>
          )
        }
      </Loaded>
      {recovering !== undefined && (
        <RecoverDialog
          claim={recovering}
          onDone={() => void claims.refetch()}
          onClose={() => setRecovering(undefined)}
        />
      )}
    </Page>
  )
}

function ClaimRow({ claim, onRecover }: { claim: Claim; onRecover: () => void }) {
  const { orgId, orgSlug, action, operationId, executor, claimedAt, executorAlive } = claim
  return (
    <tr>
      <th scope="row">
        <Link to={pathTo.adminDaemon(orgId)}>{orgSlug ?? orgId}</Link>
      </th>
      <td>
        {actionNames[action]}
        <small className="under">
          <code>{operationId}</code>
        </small>
      </td>
      <td>
        <code>{executor}</code>
        <small className="under">{executorAlive ? 'alive' : 'not seen'}</small>
      </td>
      <td>
        <Time at={claimedAt} />
      </td>
      <td>
        <Status tone={isStuck(claim) ? 'warning' : 'busy'}>{isStuck(claim) ? 'Stuck' : 'Running'}</Status>
      </td>
      <td>
        <Button
          size="small"
          disabled={!isStuck(claim)}
          aria-label={`Release the operation of ${orgSlug ?? orgId}`}
          onClick={onRecover}
        >
          Release
        </Button>
      </td>
    </tr>
  )
}
