import { useState } from 'react'
import { TextField } from '../controls/field.tsx'
import { AccountForm } from './account-form.tsx'
import { authApi } from './auth-api.ts'

/** Asks for the code of the authenticator app, or for a recovery code instead. */
export function CodeForm({ onDone }: { onDone: () => Promise<unknown> }) {
  const [way, setWay] = useState<'app' | 'recovery'>('app')
  const fromApp = way === 'app'
  const send = async ({ code = '' }: Record<string, string>) => {
    await (fromApp ? authApi.sendCode(code) : authApi.sendRecoveryCode(code.trim()))
    await onDone()
  }

  return (
    <div className="stack">
      <AccountForm key={way} submit="Go on" onSubmit={send}>
        {(problems) => <CodeField kind={way} problem={problems.get('code')} />}
      </AccountForm>
      <button type="button" className="text-button" onClick={() => setWay(fromApp ? 'recovery' : 'app')}>
        {fromApp ? 'Use a recovery code' : 'Use the authenticator app'}
      </button>
    </div>
  )
}

type FieldProps = { kind: 'app' | 'recovery'; problem?: string | undefined }

/** A code of an authenticator app, or one of the recovery codes. */
function CodeField({ kind, problem }: FieldProps) {
  return kind === 'app' ? (
    <TextField
      label="Code"
      name="code"
      autoComplete="one-time-code"
      inputMode="numeric"
      pattern="[0-9 ]{6,9}"
      maxLength={9}
      title="Six digits"
      hint="Six digits that your authenticator app shows for svc."
      required
      autoFocus
      problem={problem}
    />
  ) : (
    <TextField
      label="Recovery code"
      name="code"
      autoComplete="off"
      autoCapitalize="off"
      spellCheck={false}
      maxLength={40}
      hint="One of the codes that you kept when you turned two-factor sign-in on. Each works once."
      required
      autoFocus
      problem={problem}
    />
  )
}
