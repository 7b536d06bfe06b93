import { useCallback, useEffect, useState } from 'react'

/** A short message, with an optional action. */
export type Announcement = { text: string; act?: (() => void) | undefined; name: string }

const SHOWN_MS = 8000

/**
 * The state of the current message. It disappears after eight seconds, but not while it has the focus or the pointer.
 */
export function useAnnouncement() {
  const [said, setSaid] = useState<Announcement>()
  const announce = useCallback((text: string, act?: () => void, name = 'Undo') => setSaid({ text, act, name }), [])
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
      {said?.act && (
        <button
          type="button"
          onClick={() => {
            said.act?.()
            onGone()
          }}
        >
          {said.name}
        </button>
      )}
    </div>
  )
}
