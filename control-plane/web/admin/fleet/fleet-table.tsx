import { Link } from 'react-router'
import { pathTo } from '../../app/paths.ts'
import { Badge, Status } from '../../controls/status.tsx'
import { Table } from '../../controls/table.tsx'
import { Time } from '../../controls/time.tsx'
import { ImageName } from '../../daemons/image-name.tsx'
import { actionNames } from '../../daemons/action-names.ts'
import { stateName, stateTone } from '../../daemons/state-names.ts'
import { StorageMeter } from '../../daemons/storage-meter.tsx'
import { eventName } from './events-section.tsx'
import type { InventoryItem } from '../admin-answers.ts'
import { isStuck } from '../is-stuck.ts'

type TableProps = {
  daemons: InventoryItem[]
  /** Ids of the selected organizations. */
  selected: ReadonlySet<string>
  /** Selects or deselects an organization. */
  select: (orgId: string) => void
}

/** The inventory as a table: the state now, the state asked for, and the latest event. */
export function FleetTable({ daemons, selected, select }: TableProps) {
  return (
    <Table
      kind="wide"
      columns={[
        { hidden: 'Selected' },
        'Organization',
        'Now',
        'Asked for',
        'Image',
        'Version',
        'Storage',
        'Last event',
      ]}
    >
      {daemons.map((item) => (
        <FleetRow key={item.orgId} item={item} isSelected={selected.has(item.orgId)} select={select} />
      ))}
    </Table>
  )
}

function FleetRow({
  item: { orgId, orgName, orgSlug, entitlement, daemon, problem, lastEvent, claim },
  isSelected,
  select,
}: {
  item: InventoryItem
  isSelected: boolean
  select: TableProps['select']
}) {
  const { usedBytes, capacityBytes } = daemon?.storage ?? {}
  return (
    <tr>
      <td className="select-cell">
        <label>
          <input type="checkbox" checked={isSelected} onChange={() => select(orgId)} />
          <span className="visually-hidden">Select {orgName}</span>
        </label>
      </td>
      <th scope="row">
        <Link to={pathTo.adminDaemon(orgId)}>{orgName}</Link>
        <small className="under">
          {orgSlug}
          {entitlement !== null && ` · ${stateName(entitlement.kind).toLowerCase()}`}
        </small>
      </th>
      <td>
        {daemon === null ? (
          <Status tone={problem === null ? 'idle' : 'bad'}>{problem === null ? 'No daemon' : 'Lost'}</Status>
        ) : (
          <Status tone={stateTone(daemon.observedState)}>{stateName(daemon.observedState)}</Status>
        )}{' '}
        {daemon?.paused && <Badge>Paused</Badge>}
        {daemon !== null && problem !== null && <small className="under">needs a look</small>}
        {claim !== null && (
          <small className="under">
            {actionNames[claim.action]}: {isStuck(claim) ? 'stuck' : 'running'}
          </small>
        )}
      </td>
      <td>{daemon === null ? '—' : stateName(daemon.desiredState)}</td>
      <td>
        {daemon === null ? '—' : <ImageName image={daemon.image} />}
        {daemon?.servingImage !== undefined && daemon.servingImage !== daemon.image && (
          <small className="under">serves another image</small>
        )}
      </td>
      <td>{daemon?.version ?? '—'}</td>
      <td>
        {usedBytes !== undefined && capacityBytes !== undefined ? (
          <StorageMeter {...{ usedBytes, capacityBytes }} />
        ) : (
          (daemon?.storage.size ?? '—')
        )}
      </td>
      <td>
        {lastEvent === null ? (
          '—'
        ) : (
          <>
            {eventName(lastEvent)}
            <small className="under">
              <Time at={lastEvent.at} />
            </small>
          </>
        )}
      </td>
    </tr>
  )
}
