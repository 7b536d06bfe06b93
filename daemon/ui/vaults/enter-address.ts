import type { PersonHere } from '@svc/shared/wire/person.api.ts'
import type { Route } from '../app/route.ts'

/** The address of the app that enters a vault and returns to a note of it, at its heading. */
export function enterAddress({ enter }: NonNullable<PersonHere['app']>, { vaultId, path, heading }: Route): string {
  const url = new URL(enter)
  if (vaultId !== undefined) url.searchParams.set('vault', vaultId)
  if (path !== undefined) url.searchParams.set('path', path)
  if (heading !== undefined) url.hash = encodeURIComponent(heading)
  return url.href
}
