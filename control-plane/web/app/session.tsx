import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { createContext, useCallback, useContext, useEffect, useMemo, useState, type ReactNode } from 'react'
import type { AppConfig, Organization, Settings } from '../answers.ts'
import { chooseTheme, readTheme } from '@svc/shared/design/chosen-theme.ts'
import { authApi } from '../account/auth-api.ts'
import { api } from '../api.ts'
import { toFailure, type ApiFailure } from '../api-failure.ts'
import { onSignedOut } from '../request.ts'

/** The current person, as far as known. */
export type SessionState =
  | { state: 'loading' }
  | { state: 'failed'; failure: ApiFailure }
  | { state: 'signed-out'; config: AppConfig }
  | { state: 'signed-in'; config: AppConfig; settings: Settings }

type Found = { config: AppConfig; settings: Settings | null }
const KEY = ['session']
/**
 * The interval of retries after a failed read. Retries are needed because the event stream announces a change only
 * once, and does not exist before the first read.
 */
const FAILED_MS = 2_000

const retryDelay = ({ retryAfterSeconds = 0 }: ApiFailure) => Math.max(FAILED_MS, retryAfterSeconds * 1000)

/** Reads configuration and settings. A missing session is a result, not a failure. */
async function readSession(): Promise<Found> {
  const [config, settings] = await Promise.all([
    api.readConfig(),
    api.readSettings().catch((error: unknown) => {
      if (toFailure(error).code === 'unauthenticated') return null
      throw error
    }),
  ])
  return { config, settings }
}

/** Starts to read the session before the first page renders. */
export const prefetchSession = (client: QueryClient) => client.prefetchQuery({ queryKey: KEY, queryFn: readSession })

/** The session of the whole app, and a function that reads it again. A failed refresh keeps the last known session. */
export function useSessionState() {
  const client = useQueryClient()
  // Read again when this tab gets the focus: mailed links open in another tab, and names change elsewhere.
  const { data, error } = useQuery({
    queryKey: KEY,
    queryFn: readSession,
    staleTime: 1000,
    refetchInterval: ({ state }) => state.error !== null && retryDelay(toFailure(state.error)),
  })
  // A retry clears the error of a query without data. The page keeps its failure until something is known.
  const [failure, setFailure] = useState<ApiFailure>()
  const failed = error === null ? undefined : toFailure(error)
  if (failed !== undefined && failed.code !== failure?.code) setFailure(failed)
  const refresh = useCallback(() => client.refetchQueries({ queryKey: KEY }), [client])

  // The theme was changed elsewhere: in a vault, or in another browser.
  const theme = data?.settings?.theme
  useEffect(() => {
    if (theme !== undefined && theme !== readTheme()) chooseTheme(theme)
  }, [theme])

  // The data of one person must never be shown to the next person who signs in here.
  const personId = data?.settings?.profile.id
  useEffect(() => {
    if (personId === undefined) return
    return () => client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== KEY[0] })
  }, [client, personId])

  useEffect(() => onSignedOut(() => forgetSession(client)), [client])

  const session = useMemo((): SessionState => {
    if (data === undefined) return failure === undefined ? { state: 'loading' } : { state: 'failed', failure }
    const { config, settings } = data
    return settings === null ? { state: 'signed-out', config } : { state: 'signed-in', config, settings }
  }, [data, failure])
  return { session, refresh }
}

/** Forgets the session. A new read replaces the one in flight, which may have begun while the session was valid. */
function forgetSession(client: QueryClient): void {
  const before = client.getQueryData<Found>(KEY)
  if (before === undefined || before.settings === null) return
  client.setQueryData<Found>(KEY, { ...before, settings: null })
  void client.refetchQueries({ queryKey: KEY })
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

/** Provides the session to the pages. */
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

/** The organization with a short name, if the person belongs to it. */
export function useOrganization(slug: string): Organization | undefined {
  return useSettings().organizations.find((organization) => organization.slug === slug)
}
