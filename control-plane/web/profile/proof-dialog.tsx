import { useState, type ReactNode } from 'react'
import { useSettings } from '../app/session.tsx'
import { explainFresh } from '../account/fresh-sign-in.tsx'
import { ConfirmDialog } from '../controls/dialog.tsx'
import { TextField } from '../controls/field.tsx'

type Props = {
  title: string
  confirm: string
  look?: 'primary' | 'danger'
  onProven: (proof: { password?: string }) => Promise<unknown>
  onClose: () => void
  children: ReactNode
}

/** A question whose confirmation needs a recent sign-in and, if the account has one, the password. */
export function ProofDialog({ onProven, children, ...dialog }: Props) {
  const { signIn } = useSettings()
  const [password, setPassword] = useState('')
  return (
    <ConfirmDialog
      {...dialog}
      ready={!signIn.password || password !== ''}
      onConfirm={() => onProven(signIn.password ? { password } : {})}
      explainFailure={explainFresh}
    >
      {children}
      {signIn.password && (
        <TextField
          label="Your password"
          type="password"
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      )}
    </ConfirmDialog>
  )
}
