import { useState } from 'react'
import { ConfirmDialog } from '../controls/dialog.tsx'
import { Facts } from '../controls/facts.tsx'
import { TextField } from '../controls/field.tsx'
import { actionNames } from '../daemons/action-names.ts'
import { adminApi } from './admin-api.ts'
import type { Claim } from './admin-answers.ts'
import { explainFresh } from '../account/fresh-sign-in.tsx'

type Props = { claim: Claim; onDone: () => void; onClose: () => void }

/** Releases an expired claim, once a person has made sure that its executor has stopped. */
export function RecoverDialog({ claim: { orgId, orgSlug, action, owner, operationId }, onDone, onClose }: Props) {
  const [stopped, setStopped] = useState(false)
  const [confirmation, setConfirmation] = useState('')
  const expected = orgSlug ?? orgId

  return (
    <ConfirmDialog
      title={`Release the stuck operation of ${expected}`}
      confirm="Release operation"
      look="danger"
      ready={stopped && confirmation === expected}
      onConfirm={async () => {
        await adminApi.recoverClaim(orgId, { action, expectedOwner: owner, confirmation, executorStopped: true })
        onDone()
      }}
      onClose={onClose}
      explainFailure={explainFresh}
    >
      <p>
        The operation can then be repeated with the same id. It is not released while the process that runs it is known
        to be alive.
      </p>
      <Facts
        facts={[
          ['Operation', actionNames[action]],
          ['Id', <code key="id">{operationId}</code>],
          ['Runs in', <code key="owner">{owner}</code>],
        ]}
      />
      <label className="check">
        <input type="checkbox" checked={stopped} onChange={(event) => setStopped(event.target.checked)} />I have made
        sure that the process which ran it has stopped.
      </label>
      <TextField
        label={`Type ${expected} to confirm`}
        value={confirmation}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setConfirmation(event.target.value)}
      />
    </ConfirmDialog>
  )
}
