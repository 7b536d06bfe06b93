import { useState, type ReactNode } from 'react'
import { TextField } from '../controls/field.tsx'

/** Shortest password that the sign-in handler takes. */
const PASSWORD_MIN = 8

type Props = { problem?: string | undefined; defaultValue?: string; autoFocus?: boolean }

/** The e-mail address of an account. */
export function EmailField({ problem, defaultValue, autoFocus }: Props) {
  return (
    <TextField
      label="E-mail"
      name="email"
      type="email"
      autoComplete="username"
      inputMode="email"
      spellCheck={false}
      required
      {...{ problem, defaultValue, autoFocus }}
    />
  )
}

type PasswordProps = {
  kind: 'current' | 'new'
  label?: string
  name?: string
  problem?: string | undefined
  hint?: ReactNode
}

/** A password field with a button that shows the text. For a new password it also says the least length. */
export function PasswordField({ kind, label = 'Password', name = 'password', problem, hint }: PasswordProps) {
  const [shown, setShown] = useState(false)
  return (
    <div className="password-field">
      <TextField
        label={label}
        name={name}
        type={shown ? 'text' : 'password'}
        autoComplete={kind === 'new' ? 'new-password' : 'current-password'}
        autoCapitalize="off"
        spellCheck={false}
        required
        {...(kind === 'new' ? { minLength: PASSWORD_MIN, maxLength: 128 } : {})}
        problem={problem}
        hint={
          hint ?? (kind === 'new' ? `At least ${PASSWORD_MIN} characters. A few words make a good one.` : undefined)
        }
      />
      <button
        type="button"
        className="password-show"
        title={shown ? 'Hide the characters' : 'Show the characters'}
        onClick={() => setShown(!shown)}
      >
        {shown ? 'Hide' : 'Show'}
      </button>
    </div>
  )
}
