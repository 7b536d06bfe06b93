import { useCallback, useEffect, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'

/** The token of a link, from its fragment or query, or the error code of the link. */
export type MailedToken = { state: 'token'; token: string } | { state: 'refused'; code: string } | { state: 'missing' }

/** Reads a link. The fragment comes first: it never reaches a server or its log. It may be the bare token. */
export function readMailedToken({ hash, search }: Pick<URL, 'hash' | 'search'>): MailedToken {
  const fragment = new URLSearchParams(hash.slice(1))
  const query = new URLSearchParams(search)
  const code = fragment.get('error') ?? query.get('error')
  if (code !== null && code !== '') return { state: 'refused', code }
  const bare = hash.includes('=') ? null : hash.slice(1)
  const token = fragment.get('token') ?? (bare || query.get('token'))
  return token === null || token === '' ? { state: 'missing' } : { state: 'token', token }
}

const KEY = 'svc.link.'

/** The data of a sign-up must outlive the tab: the mail that confirms the address opens another one. */
const storageOf = (path: string) =>
  path.startsWith('/invitations/') || path === '/setup' ? localStorage : sessionStorage

/**
 * The token of this page's link. It leaves the address bar and the history at once and is kept, so that the
 * person can sign in first and come back.
 */
export function useMailedToken(): { mailed: MailedToken; forget: () => void } {
  const navigate = useNavigate()
  const location = useLocation()
  const [path] = useState(location.pathname)
  const [mailed] = useState(() => {
    const found = readMailedToken(location)
    return found.state === 'missing' ? recall(path) : found
  })

  useEffect(() => {
    if (mailed.state === 'token') quietly(() => storageOf(path).setItem(KEY + path, mailed.token))
  }, [path, mailed])

  const { hash, search } = location
  useEffect(() => {
    const next = new URLSearchParams(search).get('next')
    const bare = next === null ? '' : `?next=${encodeURIComponent(next)}`
    if (hash !== '' || search !== bare) void navigate(path + bare, { replace: true })
  }, [hash, search, navigate, path])

  const forget = useCallback(() => quietly(() => storageOf(path).removeItem(KEY + path)), [path])
  return { mailed, forget }
}

function recall(path: string): MailedToken {
  let token: string | null = null
  quietly(() => (token = storageOf(path).getItem(KEY + path)))
  return token === null ? { state: 'missing' } : { state: 'token', token }
}

// Without storage, only the token is lost when the page is left.
function quietly(use: () => void) {
  try {
    use()
  } catch {}
}
