import { Link } from 'react-router'
import type { AuditEntry, AuditNames } from '@svc/shared/wire/audit.api.ts'
import { pathTo } from '../app/paths.ts'
import { useSettings } from '../app/session.tsx'
import { Table } from '../controls/table.tsx'
import { Time } from '../controls/time.tsx'
import { ImageName } from '../daemons/image-name.tsx'
import { roleNames } from '../organizations/membership.ts'
import { limitsWords, eventWords, outcomeWords } from './audit-words.ts'

type Named = { names: AuditNames }
type Props = Named & { chain: string; entries: AuditEntry[] }

/** Entries of one chain of the audit, in words. */
export function AuditTable({ chain, entries, names }: Props) {
  return (
    <Table kind="wide" columns={['No.', 'When', 'What', 'By', 'Details']}>
      {entries.map(({ seq, hash, record }) => (
        <tr key={seq}>
          <td title={hash}>{seq}</td>
          <td>
            <Time at={record.at} />
          </td>
          <th scope="row" title={record.event}>
            {eventWords(record)}
            {record.outcome !== undefined && <small className="under">{outcomeWords(record.outcome)}</small>}
          </th>
          <td>
            <Actor actor={record.actor} names={names} />
          </td>
          <td>
            <Details chain={chain} record={record} names={names} />
          </td>
        </tr>
      ))}
    </Table>
  )
}

const kinds: Record<AuditEntry['record']['actor']['kind'], string> = {
  user: 'A person',
  token: 'A token',
  mcp_client: 'An agent',
  system: 'The platform',
}

function Actor({ actor: { kind, id }, names }: Pick<AuditEntry['record'], 'actor'> & Named) {
  const named = names[id]
  if (named === undefined)
    return (
      <>
        {kinds[kind]}
        <small className="under">
          <code>{id}</code>
        </small>
      </>
    )
  return (
    <span title={id}>
      {named.name}
      {named.email !== undefined && <small className="under">{named.email}</small>}
    </span>
  )
}

function Details({ chain, record, names }: Pick<AuditEntry, 'record'> & Omit<Props, 'entries'>) {
  const { reason, orgId, rolloutId, operationId, image, size, role, limits, subject } = record
  const { systemAdmin } = useSettings()
  const about = subject !== undefined && subject !== record.actor.id ? subject : undefined
  return (
    <>
      {about !== undefined && <span title={about}>{names[about]?.name ?? <code>{about}</code>}</span>}
      {role !== undefined && <small className="under">Role: {roleNames[role]}</small>}
      {image !== undefined && (
        <small className="under">
          <ImageName image={image} />
        </small>
      )}
      {size !== undefined && <small className="under">New size: {size}</small>}
      {limits !== undefined && <small className="under">{limitsWords(limits)}</small>}
      {reason !== undefined && <small className="under">“{reason}”</small>}
      {operationId !== undefined && (
        <small className="under">
          <code>{operationId}</code>
        </small>
      )}
      {systemAdmin && orgId !== undefined && orgId !== chain && (
        <small className="under" title={orgId}>
          <Link to={pathTo.adminDaemon(orgId)}>{names[orgId]?.name ?? orgId}</Link>
        </small>
      )}
      {systemAdmin && rolloutId !== undefined && (
        <small className="under">
          <Link to={pathTo.adminRollout(rolloutId)}>Rollout</Link>
        </small>
      )}
    </>
  )
}
