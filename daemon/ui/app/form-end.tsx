import type { ReactNode } from 'react'

type Props = {
  /** Why the last attempt was refused; nothing while there is no reason. */
  refusal?: ReactNode
  submit: string
  disabled: boolean
  onCancel: () => void
}

/** The end of a dialog's form: what was refused, Cancel and the button that submits. */
export function FormEnd({ refusal, submit, disabled, onCancel }: Props) {
  return (
    <>
      {refusal && (
        <p className="field-error" role="alert">
          {refusal}
        </p>
      )}
      <div className="modal-actions">
        <button type="button" className="button" onClick={onCancel}>
          Cancel
        </button>
        <button type="submit" className="button primary" disabled={disabled}>
          {submit}
        </button>
      </div>
    </>
  )
}
