import { useState } from 'react'
import { useNavigate } from 'react-router'
import { Button } from '../controls/button.tsx'
import { AccountForm } from './account-form.tsx'
import { PasswordField } from './account-fields.tsx'
import { authApi } from './auth-api.ts'
import { Door } from './door.tsx'
import { useMailedToken } from './mailed-token.ts'
import { SpentLink } from './spent-link.tsx'

/** Sets a new password with the token of a mailed link. */
export function ResetPasswordPage() {
  const navigate = useNavigate()
  const { mailed, forget } = useMailedToken()
  const [done, setDone] = useState(false)

  if (mailed.state !== 'token')
    return (
      <SpentLink
        title="Set a new password"
        code={mailed.state === 'refused' ? mailed.code : 'INVALID_TOKEN'}
        to="/forgotten-password"
        action="Ask for a new link"
      />
    )
  if (done)
    return (
      <Door title="Password changed" note="All other sessions were ended. Sign in with the new password.">
        <Button look="primary" onClick={() => void navigate('/sign-in')}>
          Go to sign-in
        </Button>
      </Door>
    )

  return (
    <Door title="Set a new password">
      <AccountForm
        submit="Set password"
        onSubmit={async ({ newPassword = '' }) => {
          await authApi.resetPassword(mailed.token, newPassword)
          forget()
          setDone(true)
        }}
      >
        {(problems) => (
          <PasswordField kind="new" label="New password" name="newPassword" problem={problems.get('newPassword')} />
        )}
      </AccountForm>
    </Door>
  )
}
