import { useEffect, useState } from 'react'
import { redirect, useAddress } from '../app/navigation.tsx'
import { NotFoundPage } from '../app/not-found-page.tsx'
import { pathTo } from '../app/routes.ts'
import { useSettings } from '../app/session.tsx'
import { OpenVaultPage } from './open-vault-page.tsx'
import { readWantedNote } from './wanted-note.ts'

/** Where a link to a note leads somebody who has not entered its vault: it enters, and goes on to the note. */
export function EnterPage() {
  const { href } = useAddress()
  const { organizations } = useSettings()
  // The address changes on the way out; what it asked for stays.
  const [{ organization: named, vault, path, heading }] = useState(() => readWantedNote(new URL(href)))
  const organization = organizations.find(({ id, slug }) => id === named || slug === named)

  const instead =
    named === '' ? '/' : organization && vault === undefined ? pathTo.organization(organization.slug) : undefined
  useEffect(() => {
    if (instead !== undefined) redirect(instead)
  }, [instead])

  if (instead !== undefined) return null
  if (organization === undefined || vault === undefined) return <NotFoundPage />
  return <OpenVaultPage orgSlug={organization.slug} vaultSlug={vault} path={path} heading={heading} />
}
