import { useSession } from '../app/session.tsx'

/** Who is signed in, with a way to sign in as somebody else. */
export function SignedInAs() {
  const { settings, signOut } = useSession()
  if (settings === undefined) return null
  return (
    <p className="fine">
      You are signed in as <strong>{settings.profile.email}</strong>. Somebody else?{' '}
      <button type="button" className="text-button" onClick={() => void signOut()}>
        Sign out
      </button>
    </p>
  )
}
