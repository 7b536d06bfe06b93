import { Link } from '../app/navigation.tsx'
import { pathTo } from '../app/routes.ts'
import { Time } from '../controls/time.tsx'
import { ImageName } from '../daemons/image-name.tsx'
import type { AuditEntry } from './admin-answers.ts'

/** Entries of one chain of the audit. */
export function AuditTable({ entries }: { entries: AuditEntry[] }) {
  return (
    <div className="table-scroll">
      <table className="table table-wide">
        <thead>
          <tr>
            {['No.', 'When', 'Event', 'By', 'Details'].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {entries.map(({ seq, hash, record }) => (
            <tr key={seq}>
              <td title={hash}>{seq}</td>
              <td>
                <Time at={record.at} />
              </td>
              <th scope="row">
                <code>{record.event}</code>
                {record.outcome !== undefined && <small className="under">{record.outcome}</small>}
              </th>
              <td>
                {record.actor.kind}
                <small className="under">
                  <code>{record.actor.id}</code>
                </small>
              </td>
              <td>
                <Details record={record} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Details({ record: { reason, orgId, rolloutId, operationId, image, subject } }: Pick<AuditEntry, 'record'>) {
  return (
    <>
      {reason}
      {image !== undefined && (
        <small className="under">
          <ImageName image={image} />
        </small>
      )}
      {[operationId, subject].map(
        (id) =>
          id !== undefined && (
            <small key={id} className="under">
              {id}
            </small>
          ),
      )}
      {orgId !== undefined && (
        <small className="under">
          <Link to={pathTo.adminDaemon(orgId)}>{orgId}</Link>
        </small>
      )}
      {rolloutId !== undefined && (
        <small className="under">
          <Link to={pathTo.adminRollout(rolloutId)}>{rolloutId}</Link>
        </small>
      )}
    </>
  )
}
