/** The mark of the product: a sheet, its margin, two lines of ink and one of pencil. */
export function Mark() {
  return (
    <svg className="mark" width="22" height="22" viewBox="0 0 22 22" aria-hidden="true" focusable="false">
      <rect x=".75" y=".75" width="20.5" height="20.5" rx="3.5" className="mark-sheet" />
      <path d="M7.5 1v20" className="mark-rule" />
      <path d="M10.5 7h7.5M10.5 15h4" className="mark-ink" />
      <path d="M10.5 11h6" className="mark-pencil" />
    </svg>
  )
}
