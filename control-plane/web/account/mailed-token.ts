import { useEffect, useState } from 'react'

/** The token that a mailed link carries, in the fragment or the query, or the code of what is wrong with the link. */
export type MailedToken = { state: 'token'; token: string } | { state: 'refused'; code: string } | { state: 'missing' }

/** Reads a mailed address. The fragment comes first: it never reaches a server or its log. */
export function readMailedToken({ hash, search }: Pick<URL, 'hash' | 'search'>): MailedToken {
  const fragment = new URLSearchParams(hash.slice(1))
  const query = new URLSearchParams(search)
  const code = fragment.get('error') ?? query.get('error')
  if (code !== null && code !== '') return { state: 'refused', code }
  const token = fragment.get('token') ?? query.get('token')
  return token === null || token === '' ? { state: 'missing' } : { state: 'token', token }
}

/** The token of this page's address, which is then taken out of the address bar and the history. */
export function useMailedToken(): MailedToken {
  const [mailed] = useState(() => readMailedToken(location))
  useEffect(() => history.replaceState(null, '', location.pathname), [])
  return mailed
}
