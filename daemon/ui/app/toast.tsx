import { useCallback, useEffect, useState } from 'react'

/** A short message, with an optional undo. */
export type Announcement = { text: string; undo?: () => void }

const SHOWN_MS = 8000

/**
 * The state of the current message. It disappears after eight seconds, but not while it has the focus or the pointer.
 */
export function useAnnouncement() {
  const [said, setSaid] = useState<Announcement>()
  const announce = useCallback((text: string, undo?: () => void) => setSaid({ text, ...(undo && { undo }) }), [])
  const clear = useCallback(() => setSaid(undefined), [])
  return { said, announce, clear }
}

type Props = { said: Announcement | undefined; onGone: () => void }

/** The line at the foot of the page for what happened elsewhere. */
export function Toast({ said, onGone }: Props) {
  const [held, setHeld] = useState(false)
  useEffect(() => {
    if (said === undefined || held) return
    const timer = setTimeout(onGone, SHOWN_MS)
    return () => clearTimeout(timer)
  }, [said, held, onGone])

  return (
    <div
      className="toast"
      role="status"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      {said && <span>{said.text}</span>}
      {said?.undo && (
        <button
          type="button"
          onClick={() => {
            said.undo?.()
            onGone()
          }}
        >
          Undo
        </button>
      )}
    </div>
  )
}
