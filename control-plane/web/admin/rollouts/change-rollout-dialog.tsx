import { useState } from 'react'
import { ConfirmDialog } from '../../controls/dialog.tsx'
import { TextField } from '../../controls/field.tsx'
import { adminApi } from '../admin-api.ts'
import { ReasonField } from '../reason-field.tsx'
import { explainFresh } from '../../account/fresh-sign-in.tsx'

export type Change = 'pause' | 'resume' | 'abort'

/** The labels of the buttons. */
export const changeNames: Record<Change, string> = { pause: 'Pause', resume: 'Resume', abort: 'Abort' }

const meanings: Record<Change, string> = {
  pause: 'Updates that have begun are finished; no new one begins until it is resumed.',
  resume: 'The rollout goes on where it stood.',
  abort: 'Updates that have begun are finished; the rest keep their image. An aborted rollout cannot be resumed.',
}

type Props = { id: string; change: Change; stopped: boolean; onDone: () => void; onClose: () => void }

/**
 * Pauses, resumes or aborts a rollout, with a reason. A rollout that stopped by itself is resumed with a new number of
 * allowed failures.
 */
export function ChangeRolloutDialog({ id, change, stopped, onDone, onClose }: Props) {
  const [reason, setReason] = useState('')
  const [budget, setBudget] = useState('1')
  const asksBudget = change === 'resume' && stopped

  return (
    <ConfirmDialog
      title={`${changeNames[change]} the rollout?`}
      confirm={`${changeNames[change]} rollout`}
      look={change === 'abort' ? 'danger' : 'primary'}
      ready={reason.trim().length >= 3 && (!asksBudget || /^\d+$/.test(budget))}
      onConfirm={async () => {
        const allowance = asksBudget ? { failureBudget: Number(budget) } : {}
        await adminApi.changeRollout(id, change, { reason: reason.trim(), ...allowance })
        onDone()
      }}
      onClose={onClose}
      explainFailure={explainFresh}
    >
      <p>{meanings[change]}</p>
      <ReasonField reason={reason} autoFocus onChange={setReason} />
      {asksBudget && (
        <TextField
          label="Failures allowed from now on"
          hint="One more stops it."
          inputMode="numeric"
          value={budget}
          onChange={(event) => setBudget(event.target.value)}
        />
      )}
    </ConfirmDialog>
  )
}
