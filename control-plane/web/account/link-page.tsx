import { useState, type ReactNode } from 'react'
import { Link, useLocation, useNavigate } from 'react-router'
import { pathTo, readNext } from '../app/paths.ts'
import { useSession } from '../app/session.tsx'
import { AccountForm } from './account-form.tsx'
import { Door } from './door.tsx'
import { waitsForCode } from './auth-api.ts'
import { useMailedToken } from './mailed-token.ts'
import { SignedInAs } from './signed-in-as.tsx'
import { SpentLink } from './spent-link.tsx'

type Props = {
  title: string
  note: ReactNode
  /** The button that uses the link. */
  action: string
  /** Uses the token. Resolves to whether the sign-in still needs a code. */
  use: (token: string) => Promise<unknown>
  /** The text for somebody who must sign in first; undefined if the link itself is enough. */
  signInFirst?: ReactNode
  /** Whether most of the people who must sign in have no account yet. */
  mostAreNew?: boolean
  /** The page that sends a new link. */
  again: { to: string; action: string }
  /** Where to go afterwards, unless the address names a page. */
  after?: string
}

/** A page for a link that carries a token. A click uses it, because mail scanners open links by themselves. */
export function LinkPage({ title, note, action, use, signInFirst, mostAreNew = false, again, after }: Props) {
  const { pathname, search } = useLocation()
  const navigate = useNavigate()
  const [next] = useState(() => after ?? readNext(search))
  const { mailed, forget } = useMailedToken()
  const { settings, refresh } = useSession()

  if (mailed.state !== 'token')
    return <SpentLink title={title} code={mailed.state === 'refused' ? mailed.code : 'INVALID_TOKEN'} {...again} />
  if (signInFirst !== undefined && settings === undefined) {
    const ways = [
      { to: pathTo.signIn(pathname + search), action: 'Sign in' },
      { to: pathTo.signUp(pathname + search), action: 'Create an account' },
    ]
    return (
      <Door title={title} note={signInFirst}>
        <div className="stack">
          {(mostAreNew ? ways.toReversed() : ways).map((way, place) => (
            <Link
              key={way.to}
              to={way.to}
              className={`button ${place === 0 ? 'button-primary' : 'button-plain'} button-normal`}
            >
              {way.action}
            </Link>
          ))}
        </div>
      </Door>
    )
  }

  return (
    <Door title={title} note={note} below={settings !== undefined && <Link to="/">Not now</Link>}>
      <AccountForm
        submit={action}
        onSubmit={async () => {
          const answer = await use(mailed.token)
          forget()
          if (waitsForCode(answer)) return navigate(pathTo.code(next))
          await refresh()
          await navigate(next)
        }}
      >
        {() => signInFirst !== undefined && <SignedInAs />}
      </AccountForm>
    </Door>
  )
}
