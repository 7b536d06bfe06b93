import {
  useCallback,
  useEffect,
  useState,
  useSyncExternalStore,
  type AnchorHTMLAttributes,
  type MouseEvent,
} from 'react'

const listeners = new Set<() => void>()
const announce = () => {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void) {
  const back = () => {
    if (!returnToHeld()) listener()
  }
  listeners.add(listener)
  addEventListener('popstate', back)
  return () => {
    listeners.delete(listener)
    removeEventListener('popstate', back)
  }
}

/** The address as text, so that a change of path, query or fragment renders again. */
export function useAddress(): URL {
  return new URL(useSyncExternalStore(subscribe, () => location.href))
}

type Hold = { address: string; ask: (to: string) => void }
let hold: Hold | undefined

/** Goes to a page of this app, unless the present page holds what would be lost: then it asks first. */
export function navigate(to: string) {
  if (hold !== undefined && new URL(to, location.href).pathname !== new URL(hold.address).pathname) return hold.ask(to)
  go(to)
}

/** After Back or Forward away from a page that holds something: puts that page on top again and asks. */
function returnToHeld(): boolean {
  if (hold === undefined || location.pathname === new URL(hold.address).pathname) return false
  const to = location.pathname + location.search
  history.pushState(null, '', hold.address)
  hold.ask(to)
  return true
}

function go(to: string) {
  history.pushState(null, '', to)
  scrollTo(0, 0)
  announce()
}

/** Goes to a page of this app in place of the present one, which Back then skips. */
export function redirect(to: string) {
  history.replaceState(null, '', to)
  announce()
}

/**
 * While `active`, leaving the page asks first: a reload or a closed tab by the browser's own question, a page of this app
 * and the Back button by `leavingTo`, which names the page that waits.
 */
export function useHoldPage(active: boolean) {
  const [leavingTo, setLeavingTo] = useState<string>()

  useEffect(() => {
    if (!active) return
    const own: Hold = { address: location.href, ask: setLeavingTo }
    hold = own
    const unload = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', unload)
    return () => {
      if (hold === own) hold = undefined
      removeEventListener('beforeunload', unload)
    }
  }, [active])

  const stay = useCallback(() => setLeavingTo(undefined), [])
  const leave = useCallback(() => {
    hold = undefined
    if (leavingTo !== undefined) go(leavingTo)
  }, [leavingTo])
  return { leavingTo, stay, leave }
}

type LinkProps = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> & { to: string }

/** A link inside the app: a real address, so it opens in a new tab as any other. */
export function Link({ to, onClick, ...rest }: LinkProps) {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event)
    if (event.defaultPrevented || !isPlainClick(event)) return
    event.preventDefault()
    navigate(to)
  }
  return <a href={to} onClick={follow} {...rest} />
}

/** A click that means "here", not "in a new tab" or "save". */
export function isPlainClick(event: MouseEvent): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
}
