import { useState } from 'react'
import { Link, useLocation } from 'react-router'
import { AccountForm } from './account-form.tsx'
import { EmailField } from './account-fields.tsx'
import { authApi } from './auth-api.ts'
import { Door } from './door.tsx'
import { MailSent } from './mail-sent.tsx'

/** Requests a mail for setting a new password. The response is the same for unknown addresses. */
export function ForgottenPasswordPage({
  title = 'Forgotten password',
  note = 'You get a mail with a link to set a new one.',
}) {
  const [sentTo, setSentTo] = useState<string>()
  const { search } = useLocation()
  const back = <Link to={`/sign-in${search}`}>Back to sign-in</Link>

  if (sentTo !== undefined)
    return (
      <Door title="Check your mail" below={back}>
        <MailSent
          email={sentTo}
          what="a link to set a new password"
          resend={() => authApi.requestPasswordReset(sentTo)}
        />
      </Door>
    )

  return (
    <Door title={title} note={note} below={back}>
      <AccountForm
        submit="Send reset link"
        onSubmit={async ({ email = '' }) => {
          await authApi.requestPasswordReset(email)
          setSentTo(email)
        }}
      >
        {(problems) => <EmailField problem={problems.get('email')} autoFocus />}
      </AccountForm>
    </Door>
  )
}
