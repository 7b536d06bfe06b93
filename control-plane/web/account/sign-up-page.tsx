import { useState } from 'react'
import { Link, useLocation } from 'react-router'
import { readNext } from '../app/paths.ts'
import { useSession } from '../app/session.tsx'
import { TextField } from '../controls/field.tsx'
import { AccountForm } from './account-form.tsx'
import { EmailField, PasswordField } from './account-fields.tsx'
import { authApi } from './auth-api.ts'
import { Door } from './door.tsx'
import { MailSent } from './mail-sent.tsx'
import { ProviderButtons } from './provider-buttons.tsx'

/** Requests an account. The account is created when the mailed link is used. A known address gets the same page. */
export function SignUpPage() {
  const { config } = useSession()
  const { search } = useLocation()
  const [sentTo, setSentTo] = useState<string>()
  const next = readNext(search)

  if (sentTo !== undefined)
    return (
      <Door title="Check your mail" below={<Link to={`/sign-in${search}`}>Back to sign-in</Link>}>
        <MailSent email={sentTo} what="a link that confirms it" resend={() => authApi.resendSignUp(sentTo)} />
        <p className="fine">
          Open the link in this browser: it makes your account and signs you in.
          {next.startsWith('/invitations/') && ' The invitation waits for you after that.'}
        </p>
      </Door>
    )

  const create = async ({ name = '', email = '', password = '' }: Record<string, string>) => {
    await authApi.signUp({ name: name.trim(), email, password, callbackURL: next })
    setSentTo(email)
  }

  return (
    <Door
      title="Create your account"
      note="Vaults of Markdown notes, kept as plain files, for you and your agents."
      below={
        <>
          Have an account? <Link to={`/sign-in${search}`}>Sign in</Link>
        </>
      }
    >
      <AccountForm submit="Create account" onSubmit={create}>
        {(problems) => (
          <>
            <TextField
              label="Name"
              name="name"
              autoComplete="name"
              maxLength={100}
              required
              autoFocus
              problem={problems.get('name')}
            />
            <EmailField problem={problems.get('email')} />
            <PasswordField kind="new" problem={problems.get('password')} />
          </>
        )}
      </AccountForm>
      {config.providers.length > 0 && (
        <>
          <div className="or">or</div>
          <div className="stack">
            <ProviderButtons next={next} />
          </div>
        </>
      )}
    </Door>
  )
}
