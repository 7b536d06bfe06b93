import { Link } from 'react-router'
import { pathTo } from '../../app/paths.ts'
import { Status, type Tone } from '../../controls/status.tsx'
import { Time } from '../../controls/time.tsx'
import { actionNames } from '../../daemons/action-names.ts'
import { stateName } from '../../daemons/state-names.ts'
import type { Overview } from '../admin-answers.ts'

type Operation = Overview['operations'][number]

const tones: Record<Operation['state'], Tone> = {
  requested: 'busy',
  executing: 'busy',
  retryable: 'warning',
  succeeded: 'good',
  failed: 'bad',
}

/** The latest operations and their outcomes. */
export function RecentOperations({ operations }: Pick<Overview, 'operations'>) {
  if (operations.length === 0) return <p className="fine">No operation yet.</p>
  return (
    <ul className="stack-tight">
      {operations.map(({ operationId, orgId, orgName, action, state, requestedAt, reason, failure }) => (
        <li key={operationId} className="row-line" title={reason}>
          <Status tone={tones[state]}>{actionNames[action]}</Status>
          {orgName === undefined ? <span>{orgId}</span> : <Link to={pathTo.adminDaemon(orgId)}>{orgName}</Link>}
          <span className="fine">
            {state === 'failed'
              ? `Failed${failure?.reason === undefined ? '' : ` (${failure.reason})`}`
              : stateName(state)}
            , <Time at={requestedAt} />
          </span>
        </li>
      ))}
    </ul>
  )
}
