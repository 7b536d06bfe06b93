import { useEffect, useId, useRef, type FormEvent, type ReactNode } from 'react'
import type { ApiFailure } from '../api-failure.ts'
import { useSubmit } from '../app/submit.ts'
import { Button } from './button.tsx'
import { FailureNotice } from './notice.tsx'

type Props = {
  title: string
  children: ReactNode
  confirm: string
  look?: 'primary' | 'danger'
  /** False disables the confirming button, for example until a text is typed. */
  ready?: boolean
  /** False disables Escape and Cancel, for content that is shown only once. */
  closable?: boolean
  /** True if the write continues without the dialog, so that the dialog may be closed meanwhile. */
  goesOn?: boolean
  /** True keeps the dialog open after a success, to show the result. */
  staysOpen?: boolean
  /** Runs the write. The dialog closes if it succeeds, and shows the failure otherwise. */
  onConfirm: () => Promise<unknown>
  onClose: () => void
  /**
   * Replaces the display of a failure, and may retry the write with `repeat`; returns undefined for the default
   * display.
   */
  explainFailure?: (failure: ApiFailure, repeat: () => void) => ReactNode
}

/** A modal question. It is a native dialog, so focus stays inside and Escape closes it. */
export function ConfirmDialog(props: Props) {
  const {
    title,
    children,
    confirm,
    look = 'primary',
    ready = true,
    closable = true,
    goesOn = false,
    staysOpen = false,
    onConfirm,
    onClose,
    explainFailure,
  } = props
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useId()
  const { pending, failure, submit } = useSubmit()

  const kept = (pending && !goesOn) || !closable

  useEffect(() => {
    const opener = document.activeElement
    dialog.current?.showModal()
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [])

  const write = async () => {
    if ((await submit(onConfirm)) && !staysOpen) onClose()
  }
  const decide = (event: FormEvent) => {
    event.preventDefault()
    if (ready) void write()
  }

  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby={heading}
      // Chromium closes a dialog at the second Escape, although its "cancel" event is prevented.
      closedby={kept ? 'none' : 'closerequest'}
      onClose={onClose}
      onCancel={(event) => kept && event.preventDefault()}
    >
      <form onSubmit={decide}>
        <h2 id={heading}>{title}</h2>
        <div className="dialog-body">{children}</div>
        {failure !== undefined &&
          (explainFailure?.(failure, () => void write()) ?? <FailureNotice failure={failure} />)}
        <div className="dialog-actions">
          <Button onClick={onClose} disabled={kept}>
            {pending && goesOn ? 'Close' : 'Cancel'}
          </Button>
          <Button type="submit" look={look} pending={pending} disabled={!ready}>
            {confirm}
          </Button>
        </div>
      </form>
    </dialog>
  )
}
