import { useLayoutEffect, useRef, type FormEventHandler, type ReactNode } from 'react'

type Props = {
  className?: string
  /** The address that holds the filter: with another one, the fields start anew with its values. */
  address: string
  onSubmit: FormEventHandler<HTMLFormElement>
  children: ReactNode
}

/**
 * The filter of a list. When another address is shown, the field or button that had the focus keeps it, with what was
 * typed there since the filter was applied: the list may take a moment to follow the address.
 */
export function FilterForm({ className = '', address, onSubmit, children }: Props) {
  const form = useRef<HTMLFormElement>(null)
  const focused = useRef<number>(undefined)
  const typed = useRef<string>(undefined)
  const shown = useRef(address)
  useLayoutEffect(() => {
    if (shown.current === address) return
    shown.current = address
    if (focused.current === undefined) return
    const element = form.current?.elements[focused.current]
    if (element instanceof HTMLElement) element.focus({ preventScroll: true })
    if (element instanceof HTMLInputElement && typed.current !== undefined) element.value = typed.current
  })
  return (
    <form
      key={address}
      ref={form}
      className={`filter ${className}`}
      role="search"
      onSubmit={(event) => {
        typed.current = undefined
        onSubmit(event)
      }}
      onInput={({ target }) => {
        if (target instanceof HTMLInputElement) typed.current = target.value
      }}
      onFocus={({ target, currentTarget }) => {
        focused.current = [...currentTarget.elements].indexOf(target)
      }}
      // React says nothing of an element that is removed with the focus, so its place is kept.
      onBlur={() => {
        focused.current = undefined
        typed.current = undefined
      }}
    >
      {children}
    </form>
  )
}
