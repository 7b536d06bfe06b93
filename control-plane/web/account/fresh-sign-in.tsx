import { useState, type KeyboardEvent, type ReactNode } from 'react'
import type { ApiFailure } from '../api-failure.ts'
import { useSettings } from '../app/session.tsx'
import { useSubmit } from '../app/submit.ts'
import { Button } from '../controls/button.tsx'
import { TextField } from '../controls/field.tsx'
import { FailureNotice, Notice } from '../controls/notice.tsx'
import { authApi, waitsForCode } from './auth-api.ts'
import { PasskeyButton } from './passkey-button.tsx'

const codes = new Set(['fresh_sign_in_required', 'SESSION_NOT_FRESH'])

/**
 * For dialogs. If the API requires a recent sign-in, asks for it and repeats the request. The dialog shows other
 * failures itself.
 */
export function explainFresh(failure: ApiFailure, repeat: () => void): ReactNode {
  return codes.has(failure.code) ? <FreshSignIn onDone={repeat} /> : undefined
}

// Asks for the password, and for a code if the account has an authenticator app. It stands inside the form of a dialog,
// so it cannot be a form itself.
function FreshSignIn({ onDone }: { onDone: () => void }) {
  const { profile, signIn } = useSettings()
  const { pending, failure, submit } = useSubmit()
  const [step, setStep] = useState<'password' | 'code'>('password')
  const [text, setText] = useState('')

  const prove = async () => {
    if (step === 'password') {
      if (!waitsForCode(await authApi.signIn({ email: profile.email, password: text }))) return onDone()
      setStep('code')
      return setText('')
    }
    const digits = /^[\d\s]+$/.test(text)
    await (digits ? authApi.sendCode(text) : authApi.sendRecoveryCode(text.trim()))
    onDone()
  }
  const field = {
    autoFocus: true,
    value: text,
    onChange: (event: { target: { value: string } }) => setText(event.target.value),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== 'Enter') return
      event.preventDefault()
      void submit(prove)
    },
  }

  return (
    <div className="stack fresh-sign-in">
      <Notice tone="warning" title="Sign in again">
        <p>
          This needs a sign-in of the last ten minutes.
          {!signIn.password && ' Without a password, use a passkey, or sign out and use a mailed link.'}
        </p>
      </Notice>
      {signIn.password &&
        (step === 'password' ? (
          <TextField key="password" label="Your password" type="password" autoComplete="current-password" {...field} />
        ) : (
          <TextField key="code" label="Code of your authenticator app" autoComplete="one-time-code" {...field} />
        ))}
      <FailureNotice failure={failure} />
      {signIn.password && (
        <Button pending={pending} disabled={text === ''} onClick={() => void submit(prove)}>
          {step === 'password' && signIn.twoFactor ? 'Go on' : 'Sign in and repeat'}
        </Button>
      )}
      {step === 'password' && <PasskeyButton label="Use a passkey and repeat" onDone={onDone} />}
    </div>
  )
}
