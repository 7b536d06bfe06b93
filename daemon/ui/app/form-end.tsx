import type { ReactNode } from 'react'

type Props = {
  /** The reason why the last attempt was refused; nothing if there is none. */
  refusal?: ReactNode
  submit: string
  disabled: boolean
  onCancel: () => void
}

/** The end of a dialog's form: the refusal, Cancel and the button that submits. */
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
