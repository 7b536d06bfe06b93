import { useLayoutEffect, useRef, type FormEventHandler, type ReactNode } from 'react'

type Props = {
  className?: string
  /** The address that holds the filter: with another one, the fields start anew with its values. */
  address: string
  onSubmit: FormEventHandler<HTMLFormElement>
  children: ReactNode
}

/** The filter of a list. When another address is shown, the field or button that had the focus keeps it. */
export function FilterForm({ className = '', address, onSubmit, children }: Props) {
  const form = useRef<HTMLFormElement>(null)
  const focused = useRef<number>(undefined)
  const shown = useRef(address)
  useLayoutEffect(() => {
    if (shown.current === address) return
    shown.current = address
    if (focused.current === undefined) return
    const element = form.current?.elements[focused.current]
    if (element instanceof HTMLElement) element.focus({ preventScroll: true })
  })
  return (
    <form
      key={address}
      ref={form}
      className={`filter ${className}`}
      role="search"
      onSubmit={onSubmit}
      onFocus={({ target, currentTarget }) => {
        focused.current = [...currentTarget.elements].indexOf(target)
      }}
      // React says nothing of an element that is removed with the focus, so its place is kept.
      onBlur={() => {
        focused.current = undefined
      }}
    >
      {children}
    </form>
  )
}
