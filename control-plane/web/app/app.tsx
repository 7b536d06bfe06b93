import { useEffect, useRef } from 'react'
import { Loading } from '../controls/loaded.tsx'
import { FailureNotice } from '../controls/notice.tsx'
import { Frame } from './frame.tsx'
import { redirect, useAddress } from './navigation.tsx'
import { DoorPage, FramedPage } from './routed-pages.tsx'
import { isOpenPage, isSignedOutPage, pathTo, readNext, readRoute } from './routes.ts'
import { readWantedNote, wantedNotePath } from '../vaults/wanted-note.ts'
import { SessionProvider, useSessionState } from './session.tsx'

/** The whole app: who is there, which page, and the way between them. */
export function App() {
  const address = useAddress()
  const route = readRoute(address.pathname)
  const { session, refresh } = useSessionState()
  useFocusOnNavigation(address.pathname)

  const next = route.page === 'enter' ? wantedNotePath(readWantedNote(address)) : address.pathname + address.search
  const goTo =
    session.state === 'signed-in' && isSignedOutPage(route)
      ? readNext(address.search)
      : session.state === 'signed-out' && !isSignedOutPage(route) && !isOpenPage(route)
        ? pathTo.signIn(next)
        : undefined
  useEffect(() => {
    if (goTo !== undefined) redirect(goTo)
  }, [goTo])

  if (session.state === 'loading' || goTo !== undefined)
    return (
      <div className="splash">
        <Loading what="svc" />
      </div>
    )
  if (session.state === 'failed')
    return (
      <main className="splash">
        <FailureNotice failure={session.failure} retry={() => void refresh()} />
      </main>
    )

  const settings = session.state === 'signed-in' ? { settings: session.settings } : {}
  return (
    <SessionProvider config={session.config} {...settings} refresh={refresh}>
      {session.state === 'signed-out' || isOpenPage(route) ? (
        <DoorPage route={route} />
      ) : (
        <Frame route={route}>
          <FramedPage route={route} />
        </Frame>
      )}
    </SessionProvider>
  )
}

// After a change of page, keyboard and screen reader start at its title; the first page is left to the browser.
function useFocusOnNavigation(pathname: string) {
  const before = useRef(pathname)
  useEffect(() => {
    if (before.current === pathname) return
    before.current = pathname
    document.getElementById('page-title')?.focus({ preventScroll: true })
  }, [pathname])
}
