import { useState } from 'react'
import { toFailure } from '../api-failure.ts'
import { Link, useAddress } from '../app/navigation.tsx'
import { readNext } from '../app/routes.ts'
import { useSession } from '../app/session.tsx'
import { TextField } from '../controls/field.tsx'
import { AccountForm } from './account-form.tsx'
import { EmailField, PasswordField } from './account-fields.tsx'
import { authApi } from './auth-api.ts'
import { Door } from './door.tsx'
import { MailSent } from './mail-sent.tsx'
import { ProviderButtons } from './provider-buttons.tsx'

/** Makes an account and signs in. Where that fails, the address has one already, and the mail says so. */
export function SignUpPage() {
  const { refresh, config } = useSession()
  const { search } = useAddress()
  const [sent, setSent] = useState<{ name: string; email: string; password: string; callbackURL: string }>()
  const next = readNext(search)

  if (sent !== undefined)
    return (
      <Door title="Check your mail" below={<Link to={`/sign-in${search}`}>Back to sign-in</Link>}>
        <MailSent email={sent.email} what="a message about this account" resend={() => authApi.signUp(sent)} />
        {next.startsWith('/invitations/') && <p className="fine">The invitation waits for you after that.</p>}
      </Door>
    )

  const create = async ({ name = '', email = '', password = '' }: Record<string, string>) => {
    const account = { name: name.trim(), email, password, callbackURL: next }
    await authApi.signUp(account)
    try {
      await authApi.signIn({ email, password })
    } catch (failure) {
      if (toFailure(failure).code !== 'INVALID_EMAIL_OR_PASSWORD') throw failure
      return setSent(account)
    }
    await refresh()
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
