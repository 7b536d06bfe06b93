import { createContext, useCallback, useContext, useEffect, useMemo, useState, type ReactNode } from 'react'
import type { AppConfig, Organization, Settings } from '../answers.ts'
import { chooseTheme, readTheme } from '@svc/shared/design/chosen-theme.ts'
import { authApi } from '../account/auth-api.ts'
import { api } from '../api.ts'
import { toFailure, type ApiFailure } from '../api-failure.ts'
import { onSignedOut } from '../request.ts'

/** Who uses the app, as far as it is known. */
export type SessionState =
  | { state: 'loading' }
  | { state: 'failed'; failure: ApiFailure }
  | { state: 'signed-out'; config: AppConfig }
  | { state: 'signed-in'; config: AppConfig; settings: Settings }

/** Reads configuration and settings; no session is an answer, not a failure. */
async function readSession(): Promise<SessionState> {
  try {
    const [config, settings] = await Promise.all([
      api.readConfig(),
      api.readSettings().catch((error: unknown) => {
        if (toFailure(error).code === 'unauthenticated') return undefined
        throw error
      }),
    ])
    return settings === undefined ? { state: 'signed-out', config } : { state: 'signed-in', config, settings }
  } catch (error) {
    return { state: 'failed', failure: toFailure(error) }
  }
}

/** The session of the whole app, and how to read it again. */
export function useSessionState() {
  const [session, setSession] = useState<SessionState>({ state: 'loading' })

  // Chosen elsewhere since: in a vault, or in another browser.
  const theme = session.state === 'signed-in' ? session.settings.theme : undefined
  useEffect(() => {
    if (theme !== undefined && theme !== readTheme()) chooseTheme(theme)
  }, [theme])

  // A signed-in screen outlives a refresh that fails: the next call says what is wrong.
  const show = useCallback(
    (next: SessionState) =>
      setSession((before) => (next.state === 'failed' && before.state === 'signed-in' ? before : next)),
    [],
  )
  const refresh = useCallback(async () => show(await readSession()), [show])

  useEffect(() => void readSession().then(show), [show])

  useEffect(
    () =>
      onSignedOut(() =>
        setSession((before) =>
          before.state === 'signed-in' ? { state: 'signed-out', config: before.config } : before,
        ),
      ),
    [],
  )

  // Mailed links open in another tab; this one follows when it is looked at again.
  const state = session.state
  useEffect(() => {
    if (state !== 'signed-out') return
    const look = () => document.visibilityState === 'visible' && void refresh()
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [state, refresh])

  return { session, refresh }
}

type Known = {
  config: AppConfig
  /** Undefined while signed out. */
  settings: Settings | undefined
  refresh: () => Promise<void>
  signOut: () => Promise<void>
}

const SessionContext = createContext<Known | undefined>(undefined)

type ProviderProps = { config: AppConfig; settings?: Settings; refresh: () => Promise<void>; children: ReactNode }

/** Hands the session to the pages. */
export function SessionProvider({ config, settings, refresh, children }: ProviderProps) {
  const known = useMemo(
    () => ({ config, settings, refresh, signOut: () => authApi.signOut().then(refresh) }),
    [config, settings, refresh],
  )
  return <SessionContext value={known}>{children}</SessionContext>
}

/** The session, signed in or not. */
export function useSession(): Known {
  const known = useContext(SessionContext)
  if (known === undefined) throw new Error('useSession is used outside of SessionProvider')
  return known
}

/** The settings of the person who is signed in; only for pages that need a session. */
export function useSettings(): Settings {
  const { settings } = useSession()
  if (settings === undefined) throw new Error('useSettings is used without a session')
  return settings
}

/** The organization of that short name, if the person belongs to it. */
export function useOrganization(slug: string): Organization | undefined {
  return useSettings().organizations.find((organization) => organization.slug === slug)
}
