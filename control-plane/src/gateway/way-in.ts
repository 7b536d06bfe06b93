import { readLinkedPath } from '@svc/shared/wire/daemon/note-address.ts'

type Wanted = { baseUrl: string; orgId: string; target: string }

/**
 * The page of the app that leads into a vault, for somebody who opened one of its URLs without an entry. The browser
 * keeps the fragment when it follows the redirect, so the heading needs nothing here. Pure.
 */
export function wayIn({ baseUrl, orgId, target }: Wanted): string {
  const parameters = new URLSearchParams({ organization: orgId })
  const [, folder, vault, ...names] = target.split(/[?#]/, 1)[0]!.split('/').map(decoded)
  if (folder === 'v' && vault) {
    parameters.set('vault', vault)
    const path = readLinkedPath(names.join('/'))
    if (path !== undefined) parameters.set('path', path)
  }
  return `${baseUrl}/enter?${parameters}`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
