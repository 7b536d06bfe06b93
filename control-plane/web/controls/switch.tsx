import { useId, type ReactNode } from 'react'

type Props = { label: string; hint?: ReactNode; on: boolean; disabled?: boolean; onChange: (on: boolean) => void }

/** Something that is on or off and takes effect at once. */
export function Switch({ label, hint, on, disabled, onChange }: Props) {
  const id = useId()
  return (
    <div className="switch-row">
      <div>
        <span className="switch-label" id={id}>
          {label}
        </span>
        {hint !== undefined && (
          <p className="field-hint" id={`${id}-hint`}>
            {hint}
          </p>
        )}
      </div>
      <button
        type="button"
        role="switch"
        className="switch"
        aria-checked={on}
        aria-labelledby={id}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        disabled={disabled}
        onClick={() => onChange(!on)}
      />
    </div>
  )
}
