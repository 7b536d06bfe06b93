import { useState } from 'react'
import { Link } from 'react-router'
import { useLiveQuery } from '../live/live-query.ts'
import { pathTo } from '../app/paths.ts'
import { Loaded } from '../controls/loaded.tsx'
import { Section } from '../controls/section.tsx'
import { Status, type Tone } from '../controls/status.tsx'
import { Table } from '../controls/table.tsx'
import { Time } from '../controls/time.tsx'
import { TurnPages } from '../controls/turn-pages.tsx'
import { actionNames } from '../daemons/action-names.ts'
import { stateName } from '../daemons/state-names.ts'
import { adminApi } from './admin-api.ts'
import type { Mutation } from './admin-answers.ts'

const tones: Record<Mutation['state'], Tone> = {
  requested: 'busy',
  executing: 'busy',
  retryable: 'warning',
  succeeded: 'good',
  failed: 'bad',
}

/** The audited operations of one organization: who, why and with what outcome, never the content. */
export function MutationsSection({ orgId }: { orgId: string }) {
  const [cursor, setCursor] = useState<string>()
  const operations = useLiveQuery({
    queryKey: ['admin', 'organization', orgId, 'operations', cursor],
    queryFn: ({ signal }) => adminApi.listMutations(orgId, cursor, signal),
    every: () => 2000,
  })
  return (
    <Section title="Operations" action={<Link to={pathTo.adminAudit(orgId)}>Audit of this organization</Link>}>
      <Loaded query={operations} what="operations">
        {({ mutations, nextCursor }) =>
          mutations.length === 0 ? (
            <p className="fine">No operation yet.</p>
          ) : (
            <>
              <Table kind="wide" columns={['Operation', 'Outcome', 'Reason', 'By', 'Requested']}>
                {mutations.map((mutation) => (
                  <MutationRow key={mutation.operationId} mutation={mutation} />
                ))}
              </Table>
              <TurnPages cursor={cursor} nextCursor={nextCursor} turnTo={setCursor} />
            </>
          )
        }
      </Loaded>
    </Section>
  )
}

function MutationRow({ mutation }: { mutation: Mutation }) {
  const { operationId, action, state, failure, reason, actor, requestedAt, attempts } = mutation
  return (
    <tr>
      <th scope="row">
        {actionNames[action]}
        <small className="under">
          <code>{operationId}</code>
        </small>
      </th>
      <td>
        <Status tone={tones[state]}>{stateName(state)}</Status>
        {failure !== undefined && <small className="under">{failure.reason ?? failure.code}</small>}
        {failure?.message !== undefined && <small className="under">{failure.message}</small>}
        {attempts > 1 && <small className="under">{attempts} attempts</small>}
      </td>
      <td>{reason}</td>
      <td>
        {stateName(actor.kind)}
        <small className="under">
          <code>{actor.id}</code>
        </small>
      </td>
      <td>
        <Time at={requestedAt} />
      </td>
    </tr>
  )
}
