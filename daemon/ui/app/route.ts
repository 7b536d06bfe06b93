import { withoutEndSlashes } from '@svc/shared/kit/end-slashes.ts'

/** The content of the address bar: a vault, a note or attachment in it, and a place in that note. */
export type Route = { vaultId?: string; path?: string; heading?: string; line?: number; view?: View }

/** A page that is shown instead of the note or the vault's first page. */
export type View = 'history' | 'deleted' | 'agents' | 'graph' | 'tags'

const VAULT_VIEWS: readonly string[] = ['deleted', 'agents', 'graph', 'tags'] satisfies View[]
const NOTE_VIEWS: readonly string[] = ['history', 'graph'] satisfies View[]

type Address = { pathname: string; search: string; hash: string }

/** Reads an address. Anything that is not `/v/<vault>/…` is the start page. */
export function parseRoute({ pathname, search, hash }: Address): Route {
  const [, prefix, vault, ...segments] = pathname.split('/')
  if (prefix !== 'v' || !vault) return {}

  const path = withoutEndSlashes(segments.map(decoded).join('/'))
  const line = Number(new URLSearchParams(search).get('line'))
  const heading = decoded(hash.slice(1))
  const view = new URLSearchParams(search).get('view') ?? ''
  return {
    vaultId: decoded(vault),
    ...(path !== '' && { path }),
    ...(heading !== '' && { heading }),
    ...(Number.isInteger(line) && line > 0 && { line }),
    ...((path === '' ? VAULT_VIEWS : NOTE_VIEWS).includes(view) && { view: view as View }),
  }
}

/** The address of a route; `parseRoute` reads it back. */
export function formatRoute({ vaultId, path, heading, line, view }: Route): string {
  if (vaultId === undefined) return '/'
  const segments = ['v', vaultId, ...(path === undefined ? [] : path.split('/'))]
  const query = line === undefined ? (view === undefined ? '' : `?view=${view}`) : `?line=${line}`
  const hash = heading === undefined ? '' : `#${encodeURIComponent(heading)}`
  return `/${segments.map(encodeURIComponent).join('/')}${query}${hash}`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // a stray % typed by hand
  }
}
