import { slugify } from '@svc/shared/wire/slug.ts'
import { useState } from 'react'
import { api } from '../api.ts'
import { ConfirmDialog } from '../controls/dialog.tsx'
import { TextField } from '../controls/field.tsx'

type Props = { orgId: string; onCreated: () => void; onClose: () => void }

/**
 * Asks for a name and creates a vault in the hosted daemon. The short name follows the name until somebody edits it.
 */
export function CreateVaultDialog({ orgId, onCreated, onClose }: Props) {
  const [displayName, setDisplayName] = useState('')
  const [ownSlug, setOwnSlug] = useState<string>()
  const slug = ownSlug ?? slugify(displayName)

  return (
    <ConfirmDialog
      title="New vault"
      confirm="Create vault"
      ready={displayName.trim() !== '' && slug.length >= 2}
      onConfirm={async () => {
        await api.createHostedVault(orgId, { displayName: displayName.trim(), slug })
        onCreated()
      }}
      onClose={onClose}
    >
      <TextField
        label="Vault name"
        value={displayName}
        maxLength={200}
        autoFocus
        autoComplete="off"
        onChange={(event) => setDisplayName(event.target.value)}
      />
      <TextField
        label="Short name"
        value={slug}
        maxLength={40}
        autoComplete="off"
        spellCheck={false}
        hint="The folder of the vault, and its name for agents. It cannot be changed later."
        onChange={(event) => setOwnSlug(event.target.value.toLowerCase())}
      />
    </ConfirmDialog>
  )
}
