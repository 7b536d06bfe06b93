import { useSession } from '../app/session.tsx'
import { useSubmit } from '../app/submit.ts'
import { FailureNotice } from '../controls/notice.tsx'

/** Who is signed in, with a way to sign in as somebody else. */
export function SignedInAs() {
  const { settings, signOut } = useSession()
  const { failure, submit } = useSubmit()
  if (settings === undefined) return null
  return (
    <>
      <p className="fine">
        You are signed in as <strong>{settings.profile.email}</strong>. Somebody else?{' '}
        <button type="button" className="text-button" onClick={() => void submit(signOut)}>
          Sign out
        </button>
      </p>
      <FailureNotice failure={failure} />
    </>
  )
}
