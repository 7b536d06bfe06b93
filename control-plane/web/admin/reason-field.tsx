import { TextField } from '../controls/field.tsx'

type Props = { reason: string; onChange: (reason: string) => void }

/** Why an administrator acts. */
export function ReasonField({ reason, onChange }: Props) {
  return (
    <TextField
      label="Reason"
      value={reason}
      maxLength={500}
      autoComplete="off"
      hint="Kept in the audit."
      onChange={(event) => onChange(event.target.value)}
    />
  )
}
