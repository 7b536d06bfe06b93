import { TextField } from '../controls/field.tsx'

type Props = { reason: string; hint?: string; autoFocus?: boolean; onChange: (reason: string) => void }

/** Why an administrator acts. */
export function ReasonField({ reason, hint = 'Kept in the audit.', autoFocus, onChange }: Props) {
  return (
    <TextField
      label="Reason"
      value={reason}
      maxLength={500}
      autoComplete="off"
      hint={hint}
      autoFocus={autoFocus}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}
