import { useSubmit } from '../app/submit.ts'
import { Button } from '../controls/button.tsx'
import { FailureNotice } from '../controls/notice.tsx'
import { Badge, Status } from '../controls/status.tsx'
import { Time } from '../controls/time.tsx'
import { AgentMark } from './agent-mark.tsx'
import { accessNames, countWords, stateNames } from './agent-words.ts'
import type { Integration } from './agents-api.ts'

type Props = {
  integration: Integration
  vaultNames: ReadonlyMap<string, string>
  onApprove: () => void
  change: (state: 'approved' | 'paused' | 'revoked') => Promise<void>
}

/** One kind of program: its users, vaults and activity, and the actions of an admin. */
export function IntegrationRow({ integration, vaultNames, onApprove, change }: Props) {
  const { pending, failure, submit } = useSubmit()
  const { name, host, state, access, people, requestedBy, lastUsedAt, expiresAt } = integration
  const { word, tone } = stateNames[state]
  const to = (next: Parameters<typeof change>[0]) => void submit(() => change(next))
  const decided = state === 'approved' || state === 'paused'

  return (
    <li className="row">
      <div className="row-line">
        <AgentMark name={name} />
        <div className="row-who">
          <span>
            {name} {decided && <Badge>{accessNames[access]}</Badge>} <Status tone={tone}>{word}</Status>
          </span>
          <small>
            {host ?? 'Programs on the computers of members'} ·{' '}
            {lastUsedAt === null ? (
              'never used'
            ) : (
              <>
                used <Time at={lastUsedAt} />
              </>
            )}{' '}
            · {countWords(integration)}
            {decided && expiresAt !== null && <> · until {new Date(expiresAt).toLocaleDateString()}</>}
            {state === 'requested' && requestedBy !== null && <> · asked for by {requestedBy}</>}
          </small>
        </div>
        <div className="row-actions">
          {!decided && state !== 'blocked' && (
            <Button size="small" look="primary" onClick={onApprove} aria-label={`Approve ${name}`}>
              Approve
            </Button>
          )}
          {state === 'approved' && (
            <Button size="small" pending={pending} onClick={() => to('paused')} aria-label={`Pause ${name}`}>
              Pause
            </Button>
          )}
          {state === 'paused' && (
            <Button size="small" pending={pending} onClick={() => to('approved')} aria-label={`Resume ${name}`}>
              Resume
            </Button>
          )}
          {decided && (
            <Button size="small" look="quiet" onClick={onApprove} aria-label={`Change ${name}`}>
              Change
            </Button>
          )}
          {(decided || state === 'requested') && (
            <Button
              size="small"
              look="quiet"
              pending={pending}
              onClick={() => to('revoked')}
              aria-label={`${decided ? 'Revoke' : 'Refuse'} ${name}`}
            >
              {decided ? 'Revoke' : 'Refuse'}
            </Button>
          )}
        </div>
      </div>
      {people.length > 0 && (
        <ul className="agent-people">
          {people.map((person, index) => (
            <li key={index}>
              for <b>{person.name}</b>: {accessNames[person.access].toLowerCase()},{' '}
              {person.vaults === null ? 'all vaults' : person.vaults.map((id) => vaultNames.get(id) ?? id).join(', ')}
            </li>
          ))}
        </ul>
      )}
      <FailureNotice failure={failure} />
    </li>
  )
}
