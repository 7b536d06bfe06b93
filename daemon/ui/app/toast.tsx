import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

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
  const box = useRef<HTMLDivElement>(null)
  const [hasPointer, setPointer] = useState(false)
  const [hasFocus, setFocus] = useState(false)
  useLayoutEffect(() => {
    // A button that is removed while it has the focus causes no blur event.
    setFocus(box.current?.contains(document.activeElement) ?? false)
    // eslint-disable-next-line react/exhaustive-effect-dependencies -- the button goes with what is said
  }, [said])
  const isHeld = hasPointer || hasFocus
  useEffect(() => {
    if (said === undefined || isHeld) return
    const timer = setTimeout(onGone, SHOWN_MS)
    return () => clearTimeout(timer)
  }, [said, isHeld, onGone])

  return (
    <div
      ref={box}
      className="toast"
      role="status"
      onPointerEnter={() => setPointer(true)}
      onPointerLeave={() => setPointer(false)}
      onFocus={() => setFocus(true)}
      onBlur={() => setFocus(false)}
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
