import { useState } from 'react'
import { TextField } from '../../controls/field.tsx'
import { adminApi } from '../admin-api.ts'
import type { InventoryItem } from '../admin-answers.ts'
import { OperationDialog } from '../operation-dialog.tsx'

type Props = { item: InventoryItem; tell: (words: string) => void; onClose: () => void }

/** Asks for an image, and rolls one daemon to it. Confirmed by the slug of the organization. */
export function RollDialog({ item: { orgId, orgSlug, orgName, daemon }, tell, onClose }: Props) {
  const [image, setImage] = useState(daemon?.image ?? '')
  return (
    <OperationDialog
      title={`Update the daemon of ${orgName}`}
      confirm="Update"
      expected={orgId}
      typed={{ text: orgSlug, name: 'organization slug' }}
      ready={image.trim() !== ''}
      onClose={onClose}
      run={async (operation, signal) => {
        await adminApi.rollImage(orgId, { ...operation, image: image.trim() }, signal)
        tell('The daemon runs with this image.')
      }}
    >
      <p>The daemon is replaced in place and its connection key rotated. A bad image goes back to the last good one.</p>
      <TextField
        label="Image"
        value={image}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setImage(event.target.value)}
      />
    </OperationDialog>
  )
}
