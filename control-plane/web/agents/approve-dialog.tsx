import { useId, useState } from 'react'
import { ConfirmDialog } from '../controls/dialog.tsx'
import { Notice } from '../controls/notice.tsx'
import type { AgentAccess, Integration } from './agents-api.ts'

type Approval = { access: AgentAccess; days: number; covers: 'this_address' | 'whole_site' }
type Props = { integration: Integration; onConfirm: (approval: Approval) => Promise<unknown>; onClose: () => void }

const DAYS = [7, 30, 90, 365]

/** What an admin approves: the proven address, reading or writing, and the end date. */
export function ApproveDialog({ integration: { name, key, host, access: before, state }, onConfirm, onClose }: Props) {
  const [access, setAccess] = useState<AgentAccess>(state === 'requested' ? 'write' : before)
  const [days, setDays] = useState(90)
  const [covers, setCovers] = useState<Approval['covers']>('this_address')
  const ids = { access: useId(), days: useId(), covers: useId() }
  const isSite = host !== null && key === `https://${host}`

  return (
    <ConfirmDialog
      title={`Approve ${name} for this organization?`}
      confirm="Approve"
      onConfirm={() => onConfirm({ access, days, covers })}
      onClose={onClose}
    >
      {host === null ? (
        <Notice tone="warning">
          <p>
            A program on a computer proves nothing about itself, so this approves every such program that a member
            connects. “{name}” is the name that the first one gave.
          </p>
        </Notice>
      ) : (
        <p>
          The name is a claim. What you approve is <code>{key}</code>.
        </p>
      )}
      <div className="field">
        <label htmlFor={ids.access}>It may</label>
        <select
          id={ids.access}
          className="input"
          value={access}
          onChange={(event) => setAccess(event.target.value as AgentAccess)}
        >
          <option value="read">read</option>
          <option value="write">read and write</option>
        </select>
      </div>
      <div className="field">
        <label htmlFor={ids.days}>Until</label>
        <select id={ids.days} className="input" value={days} onChange={(event) => setDays(Number(event.target.value))}>
          {DAYS.map((count) => (
            <option key={count} value={count}>
              {count} days from now
            </option>
          ))}
        </select>
      </div>
      {host !== null && !isSite && (
        <div className="field">
          <label htmlFor={ids.covers}>For</label>
          <select
            id={ids.covers}
            className="input"
            value={covers}
            onChange={(event) => setCovers(event.target.value as Approval['covers'])}
          >
            <option value="this_address">this address alone</option>
            <option value="whole_site">every program of {host}</option>
          </select>
        </div>
      )}
    </ConfirmDialog>
  )
}
