type Props = { label: string; hint: string; className: string; value: string; onChange: (value: string) => void }

/** A search field over a list that it narrows at once; Escape empties it. */
export function FindField({ label, hint, className, value, onChange }: Props) {
  return (
    <input
      type="search"
      className={className}
      aria-label={label}
      placeholder={hint}
      autoComplete="off"
      value={value}
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={({ key }) => key === 'Escape' && onChange('')}
    />
  )
}
