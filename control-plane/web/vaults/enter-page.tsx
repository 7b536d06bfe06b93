import { useState } from 'react'
import { Navigate, useLocation } from 'react-router'
import { NotFoundPage } from '../app/not-found-page.tsx'
import { pathTo } from '../app/paths.ts'
import { useSettings } from '../app/session.tsx'
import { OpenVaultPage } from './open-vault-page.tsx'
import { readWantedNote } from './wanted-note.ts'

/**
 * The page for a link to a note, if the person has not entered its vault: it enters the vault and goes on to the note.
 */
export function EnterPage() {
  const location = useLocation()
  const { organizations } = useSettings()
  // The address changes when the page is left, so keep what it asked for.
  const [{ organization: named, vault, path, heading }] = useState(() => readWantedNote(location))
  const organization = organizations.find(({ id, slug }) => id === named || slug === named)

  const instead =
    named === '' ? '/' : organization && vault === undefined ? pathTo.organization(organization.slug) : undefined
  if (instead !== undefined) return <Navigate to={instead} replace />
  if (organization === undefined || vault === undefined) return <NotFoundPage />
  return <OpenVaultPage orgSlug={organization.slug} vaultSlug={vault} path={path} heading={heading} />
}
