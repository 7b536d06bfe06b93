import '../styles/dialogs.css'
import { useEffect, useRef, type ReactNode } from 'react'

type Props = { label: string; className?: string; onClose: () => void; children: ReactNode }

/** A modal dialog: focus stays inside, Escape and a click beside it close it. */
export function Modal({ label, className = '', onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const element = dialog.current
    if (element && !element.open) element.showModal()
    return () => element?.close()
  }, [])

  return (
    <dialog
      ref={dialog}
      aria-label={label}
      className={`modal ${className}`}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose()
      }}
    >
      <div className="modal-body">{children}</div>
    </dialog>
  )
}
