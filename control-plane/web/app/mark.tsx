/** The mark of the product. */
export function Mark({ size = 24 }: { size?: number }) {
  return (
    <svg className="mark" width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M9 8.5h9.5L23 13v10.5H9z" strokeLinejoin="round" />
      <path d="M13 15.5h6M13 19.5h4" strokeLinecap="round" />
    </svg>
  )
}
