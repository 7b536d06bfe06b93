import { useId, type InputHTMLAttributes, type ReactNode, type SelectHTMLAttributes } from 'react'

type Around = { label: string; hint?: ReactNode; problem?: string | undefined }

/** A labelled text input, with its problem below. */
export function TextField({ label, hint, problem, ...input }: Around & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId()
  return (
    <Surround {...{ id, label, hint, problem }}>
      <input
        type="text"
        {...input}
        id={id}
        className="input"
        aria-invalid={problem === undefined ? undefined : true}
        aria-describedby={describedBy(id, hint, problem)}
      />
    </Surround>
  )
}

/** A labelled choice from a few options. */
export function SelectField({ label, hint, problem, ...select }: Around & SelectHTMLAttributes<HTMLSelectElement>) {
  const id = useId()
  return (
    <Surround {...{ id, label, hint, problem }}>
      <select {...select} id={id} className="input" aria-describedby={describedBy(id, hint, problem)} />
    </Surround>
  )
}

function Surround({ id, label, hint, problem, children }: Around & { id: string; children: ReactNode }) {
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children}
      {problem !== undefined && (
        <p className="field-problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
      {hint !== undefined && (
        <p className="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

function describedBy(id: string, hint: ReactNode, problem: string | undefined) {
  const ids = [problem === undefined ? '' : `${id}-problem`, hint === undefined ? '' : `${id}-hint`].filter(Boolean)
  return ids.length === 0 ? undefined : ids.join(' ')
}
