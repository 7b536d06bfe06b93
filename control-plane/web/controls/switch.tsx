import { useId, type ReactNode } from 'react'

type Props = { label: string; hint?: ReactNode; on: boolean; pending?: boolean; onChange: (on: boolean) => void }

/** Something that is on or off and takes effect at once. While pending it keeps its focus, and does nothing. */
export function Switch({ label, hint, on, pending, onChange }: Props) {
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
        aria-busy={pending || undefined}
        aria-disabled={pending || undefined}
        onClick={pending ? undefined : () => onChange(!on)}
      />
    </div>
  )
}
