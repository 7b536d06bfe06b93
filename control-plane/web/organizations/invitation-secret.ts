const KEY = 'svc.invitation.'

/**
 * The secret of a mailed invitation, out of the fragment. It is kept for this tab while the person signs in, and taken
 * out of the address bar.
 */
export function takeInvitationSecret(id: string): string | undefined {
  const fragment = new URLSearchParams(location.hash.slice(1))
  const secret = fragment.get('token') ?? new URLSearchParams(location.search).get('token')
  try {
    if (secret !== null) sessionStorage.setItem(KEY + id, secret)
    return secret ?? sessionStorage.getItem(KEY + id) ?? undefined
  } catch {
    return secret ?? undefined
  }
}

/** Forgets the secret once the invitation is answered. */
export function forgetInvitationSecret(id: string) {
  try {
    sessionStorage.removeItem(KEY + id)
  } catch {
    // Closed storage never held it.
  }
}
