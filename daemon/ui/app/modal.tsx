import '../styles/dialogs.css'
import { useEffect, useRef, type ReactNode } from 'react'

type Props = {
  label: string
  className?: string
  /** Without it, the dialog cannot be closed. */
  onClose?: () => void
  children: ReactNode
}

/** A modal dialog: focus stays inside, Escape and a click beside it close it, and the focus returns. */
export function Modal({ label, className = '', onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const pressed = useRef<EventTarget>(null)
  useEffect(() => {
    const element = dialog.current
    const giveBack = keepFocus()
    if (element && !element.open) element.showModal()
    return () => {
      element?.close()
      giveBack()
    }
  }, [])

  return (
    <dialog
      ref={dialog}
      aria-label={label}
      className={`modal ${className}`}
      // Chromium closes a dialog at the second Escape, although its "cancel" event is prevented.
      closedby={onClose ? 'closerequest' : 'none'}
      onCancel={(event) => {
        event.preventDefault()
        onClose?.()
      }}
      onPointerDown={(event) => {
        pressed.current = event.target
      }}
      onClick={(event) => {
        // The click of a drag that ends beside the dialog also has the dialog as its target.
        if (event.target === dialog.current && pressed.current === event.target) onClose?.()
      }}
    >
      <div className="modal-body">{children}</div>
    </dialog>
  )
}

/** Remembers what has the focus. The result gives the focus back, unless something else has it by then. */
function keepFocus(): () => void {
  const { activeElement: host, body } = document
  const before = (host?.shadowRoot?.activeElement ?? host) as HTMLElement | null
  const { href } = location
  return () => {
    // The dialog may have led to the other pane, or from the search to a note that takes the focus itself.
    const isLeft = host?.closest('[data-focused=false]') || (location.href !== href && host?.matches('input'))
    if (document.activeElement === body && !isLeft) before?.focus()
  }
}
