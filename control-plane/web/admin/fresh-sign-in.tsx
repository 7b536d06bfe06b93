import { useState, type ReactNode } from 'react'
import { authApi } from '../account/auth-api.ts'
import type { ApiFailure } from '../api-failure.ts'
import { useSettings } from '../app/session.tsx'
import { useSubmit } from '../app/submit.ts'
import { Button } from '../controls/button.tsx'
import { TextField } from '../controls/field.tsx'
import { FailureNotice, Notice } from '../controls/notice.tsx'

const codes = new Set(['fresh_sign_in_required', 'SESSION_NOT_FRESH'])

/** For dialogs: where the API wants a recent sign-in, asks for it and repeats; leaves other failures to the dialog. */
export function explainFresh(failure: ApiFailure, repeat: () => void): ReactNode {
  return codes.has(failure.code) ? <FreshSignIn onDone={repeat} /> : undefined
}

// Asks for the password in place. It stands inside the form of a dialog, so it is none itself.
function FreshSignIn({ onDone }: { onDone: () => void }) {
  const { profile } = useSettings()
  const { pending, failure, submit } = useSubmit()
  const [password, setPassword] = useState('')

  const signIn = async () => {
    if (await submit(() => authApi.signIn({ email: profile.email, password }))) onDone()
  }

  return (
    <div className="stack fresh-sign-in">
      <Notice tone="warning" title="Sign in again">
        <p>This needs a sign-in of the last ten minutes. Without a password, sign out and use a mailed link.</p>
      </Notice>
      <TextField
        label="Your password"
        type="password"
        autoComplete="current-password"
        autoFocus
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          void signIn()
        }}
      />
      <FailureNotice failure={failure} />
      <Button pending={pending} disabled={password === ''} onClick={() => void signIn()}>
        Sign in and repeat
      </Button>
    </div>
  )
}
