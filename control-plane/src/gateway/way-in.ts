import { readLinkedPath } from '@svc/shared/wire/note-address.ts'

type Wanted = { baseUrl: string; orgId: string; target: string }

/**
 * The page of the app that leads into a vault, for somebody who opened an address of it without an entry. The heading needs
 * nothing: a browser keeps the fragment of an address that is redirected. Pure.
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
