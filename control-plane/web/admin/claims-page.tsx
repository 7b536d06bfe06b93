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
import { stateName } from '../daemons/state-names.ts'
import { adminApi } from './admin-api.ts'
import type { Claim } from './admin-answers.ts'
import { RecoverDialog } from './recover-dialog.tsx'

/** The operations in progress and their executors. An expired claim of a lost executor can be recovered here. */
export function ClaimsPage() {
  const claims = useLiveQuery({
    queryKey: ['admin', 'claims'],
    queryFn: ({ signal }) => adminApi.listClaims(signal),
    every: () => 2000,
  })
  const [recovering, setRecovering] = useState<Claim>()

  return (
    <Page
      title="Claims"
      margin={<LiveAge queries={[claims]} />}
      note="One operation executes per organization and holds its claim. Claims are never taken away by themselves."
    >
      <Loaded query={claims} what="claims">
        {({ claims }) =>
          claims.length === 0 ? (
            <Empty title="No operation is executing" />
          ) : (
            <div className="card">
              <Table
                kind="wide"
                columns={['Organization', 'Operation', 'Executor', 'Claimed', 'State', { hidden: 'Recovery' }]}
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
  const { orgId, orgSlug, action, operationId, executor, claimedAt, expired, executorAlive } = claim
  return (
    <tr>
      <th scope="row">
        <Link to={pathTo.adminDaemon(orgId)}>{orgSlug ?? orgId}</Link>
      </th>
      <td>
        {stateName(action)}
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
        <Status tone={expired ? 'warning' : 'busy'}>{expired ? 'Expired' : 'Executing'}</Status>
      </td>
      <td>
        <Button
          size="small"
          disabled={!expired || executorAlive}
          aria-label={`Recover the claim of ${orgSlug ?? orgId}`}
          onClick={onRecover}
        >
          Recover
        </Button>
      </td>
    </tr>
  )
}
