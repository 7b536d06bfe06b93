import { useState } from 'react'
import { TextField } from '../../controls/field.tsx'
import { adminApi } from '../admin-api.ts'
import type { InventoryItem } from '../admin-answers.ts'
import { OperationDialog } from '../operation-dialog.tsx'
import { growProblem, presentSize } from './grow-problem.ts'

type Props = { item: InventoryItem; tell: (words: string) => void; onClose: () => void }

/** Asks for a size, and grows the volume of one daemon to it. */
export function GrowDialog({ item: { orgId, orgSlug, orgName, daemon }, tell, onClose }: Props) {
  const [size, setSize] = useState('')
  const problem = size.trim() === '' ? undefined : growProblem(size.trim(), daemon?.storage)
  return (
    <OperationDialog
      title={`Grow the storage of ${orgName}`}
      confirm="Grow storage"
      expected={orgSlug}
      typed={{ text: orgSlug, name: 'organization slug' }}
      ready={size.trim() !== '' && problem === undefined}
      onClose={onClose}
      run={async (operation, signal) => {
        await adminApi.growStorage(orgId, { ...operation, size: size.trim() }, signal)
        tell(`The volume has ${size.trim()}.`)
      }}
    >
      <p>The volume grows and never shrinks again. The daemon is neither woken nor restarted.</p>
      <TextField
        label="New size"
        value={size}
        spellCheck={false}
        autoComplete="off"
        problem={problem}
        hint={`Now ${daemon ? presentSize(daemon.storage).words : 'unknown'}. A whole number of Mi, Gi or Ti, such as 20Gi.`}
        onChange={(event) => setSize(event.target.value)}
      />
    </OperationDialog>
  )
}
