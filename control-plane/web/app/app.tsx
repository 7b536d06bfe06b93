import { Suspense, useEffect, useRef } from 'react'
import { Navigate, Outlet, ScrollRestoration, useLocation } from 'react-router'
import { Loading } from '../controls/loaded.tsx'
import { FailureNotice } from '../controls/notice.tsx'
import { LiveState } from '../live/live-state.tsx'
import { readWantedNote, wantedNotePath } from '../vaults/wanted-note.ts'
import { Frame } from './frame.tsx'
import { pathTo, readNext } from './paths.ts'
import { SessionProvider, useSession, useSessionState } from './session.tsx'

/** The frame of every page: the session and the router. */
export function App() {
  const { session, refresh } = useSessionState()
  useFocusOnNavigation()

  if (session.state === 'loading') return <Splash />
  if (session.state === 'failed')
    return (
      <main className="splash">
        <FailureNotice failure={session.failure} retry={() => void refresh()} />
      </main>
    )
  const settings = session.state === 'signed-in' ? { settings: session.settings } : {}
  return (
    <SessionProvider config={session.config} {...settings} refresh={refresh}>
      <Suspense fallback={<Splash />}>
        <Outlet />
      </Suspense>
      <ScrollRestoration />
    </SessionProvider>
  )
}

// Shown until the session is known.
function Splash() {
  return (
    <div className="splash">
      <Loading what="svc" />
    </div>
  )
}

/** Pages for people without a session. With a session, they redirect to the page that follows the sign-in. */
export function Guests() {
  const { settings } = useSession()
  const { search } = useLocation()
  return settings === undefined ? <Outlet /> : <Navigate to={readNext(search)} replace />
}

/** Pages that need a session. Without one, they redirect to the sign-in, which leads back. */
export function SignedIn() {
  const { settings } = useSession()
  const location = useLocation()
  if (settings === undefined) {
    const { pathname, search } = location
    const next = pathname === '/enter' ? wantedNotePath(readWantedNote(location)) : pathname + search
    return <Navigate to={pathTo.signIn(next)} replace />
  }
  return (
    <LiveState>
      <Frame>
        <Suspense fallback={<Loading what="the page" />}>
          <Outlet />
        </Suspense>
      </Frame>
    </LiveState>
  )
}

// After navigation, the focus moves to the title of the page; the browser handles the first page. On the same page it
// does so only if what had the focus is gone, such as the link to the next part of a list.
function useFocusOnNavigation() {
  const { pathname, search } = useLocation()
  const before = useRef({ pathname, search })
  useEffect(() => {
    const { pathname: lastPath, search: lastSearch } = before.current
    before.current = { pathname, search }
    const isLost = document.activeElement === null || document.activeElement === document.body
    if (lastPath === pathname && (lastSearch === search || !isLost)) return
    document.getElementById('page-title')?.focus({ preventScroll: true })
  }, [pathname, search])
}
