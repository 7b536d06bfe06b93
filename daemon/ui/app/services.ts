import { createContext, useContext, useSyncExternalStore } from 'react'
import type { Connection, ConnectionState } from '../api/connection.ts'
import type { DaemonClient } from '../api/daemon-client.ts'
import type { Memory } from './memory.ts'
import type { Navigation } from './navigation.ts'
import type { Route } from './route.ts'

/** What every part of the page may need, made once in `main`. */
export type Services = { client: DaemonClient; connection: Connection; navigation: Navigation; memory: Memory }

/** Hands the services down; there is no default, because there is no sensible one. */
export const ServicesContext = createContext<Services | undefined>(undefined)

export function useServices(): Services {
  const services = useContext(ServicesContext)
  if (services === undefined) throw new Error('no services around this component')
  return services
}

/** The route on display. */
export function useRoute(): Route {
  const { navigation } = useServices()
  return useSyncExternalStore(navigation.subscribe, navigation.current)
}

/** The way to the daemon as last seen. */
export function useConnection(): ConnectionState {
  const { connection } = useServices()
  return useSyncExternalStore(connection.subscribe, connection.current)
}
