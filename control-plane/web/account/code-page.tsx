import { Link, useLocation } from 'react-router'
import { useSession } from '../app/session.tsx'
import { CodeForm } from './code-form.tsx'
import { Door } from './door.tsx'

/** The second step of a sign-in: the code of the authenticator app. After it, the app goes on to the requested page. */
export function CodePage() {
  const { refresh } = useSession()
  const { search } = useLocation()
  return (
    <Door
      title="Two-factor sign-in"
      note="One more step: the code of your authenticator app."
      below={<Link to={`/sign-in${search}`}>Start again</Link>}
    >
      <CodeForm onDone={refresh} />
    </Door>
  )
}
