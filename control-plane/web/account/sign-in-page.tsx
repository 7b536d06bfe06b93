import { useState } from 'react'
import { Link, useLocation, useNavigate } from 'react-router'
import { ApiFailure } from '../api-failure.ts'
import { explain } from '../app/explain.ts'
import { pathTo, readNext } from '../app/paths.ts'
import { useSession } from '../app/session.tsx'
import { Button } from '../controls/button.tsx'
import { Notice } from '../controls/notice.tsx'
import { AccountForm } from './account-form.tsx'
import { EmailField, PasswordField } from './account-fields.tsx'
import { authApi, waitsForCode } from './auth-api.ts'
import { Door } from './door.tsx'
import { MailSent } from './mail-sent.tsx'
import { PasskeyButton } from './passkey-button.tsx'
import { ProviderButtons } from './provider-buttons.tsx'
import { ResendConfirmation } from './resend-confirmation.tsx'

/** Sign-in by password, by a mailed link, or at another provider. */
export function SignInPage() {
  const { refresh } = useSession()
  const navigate = useNavigate()
  const { search } = useLocation()
  const [way, setWay] = useState<'password' | 'link'>('password')
  const [email, setEmail] = useState('')
  const [sentTo, setSentTo] = useState<string>()
  const next = readNext(search)

  if (sentTo !== undefined)
    return (
      <Door
        title="Check your mail"
        below={
          <Link to={`/sign-in${search}`} onClick={() => setSentTo(undefined)}>
            Back to sign-in
          </Link>
        }
      >
        <MailSent email={sentTo} what="a link that signs you in" resend={() => authApi.sendMagicLink(sentTo, next)} />
      </Door>
    )

  const withPassword = async ({ email = '', password = '' }: Record<string, string>) => {
    setEmail(email)
    const answer = await authApi.signIn({ email, password })
    if (waitsForCode(answer)) await navigate(pathTo.code(next))
    else await refresh()
  }
  const withLink = async ({ email = '' }: Record<string, string>) => {
    await authApi.sendMagicLink(email, next)
    setSentTo(email)
  }

  return (
    <Door
      title="Sign in"
      below={
        <>
          New here? <Link to={`/sign-up${search}`}>Create an account</Link>
        </>
      }
    >
      <LinkProblem search={search} />
      {next.startsWith('/invitations/') && <p className="door-note">Sign in to answer your invitation.</p>}
      <AccountForm
        key={way}
        submit={way === 'password' ? 'Sign in' : 'Send sign-in link'}
        onSubmit={way === 'password' ? withPassword : withLink}
        explainFailure={(failure) => explainSignIn(failure, email)}
      >
        {(problems) => (
          <>
            <EmailField problem={problems.get('email')} defaultValue={email} autoFocus />
            {way === 'password' && (
              <>
                <PasswordField kind="current" problem={problems.get('password')} />
                <p className="form-aside">
                  <Link to={`/forgotten-password${search}`}>Forgotten password?</Link>
                </p>
              </>
            )}
          </>
        )}
      </AccountForm>
      <div className="or">or</div>
      <div className="stack">
        <Button onClick={() => setWay(way === 'password' ? 'link' : 'password')}>
          {way === 'password' ? 'Use a mailed link' : 'Use a password'}
        </Button>
        <PasskeyButton label="Use a passkey" onDone={refresh} />
        <ProviderButtons next={next} />
      </div>
    </Door>
  )
}

// An unconfirmed account gets the same response as a wrong password.
function explainSignIn({ code }: ApiFailure, email: string) {
  return code === 'INVALID_EMAIL_OR_PASSWORD' ? <ResendConfirmation key={email} email={email} /> : undefined
}

// After a failure, a mailed link or a provider redirects here with a code.
function LinkProblem({ search }: { search: string }) {
  const code = new URLSearchParams(search).get('error')
  if (code === null) return null
  const known = explain(new ApiFailure({ code, message: '' }, 0))
  return (
    <Notice tone="warning">
      <p>{known === '' ? 'The sign-in did not work. Try again, or use another way.' : known}</p>
    </Notice>
  )
}
