import { createContext, useContext, useSyncExternalStore } from 'react'
import type { Connection, ConnectionState } from '../api/connection.ts'
import type { DaemonClient } from '../api/daemon-client.ts'
import type { Memory } from './memory.ts'
import type { Navigation } from './navigation.ts'
import type { Route } from './route.ts'

/** The services for all parts of the page, created once in `main`. */
export type Services = {
  client: DaemonClient
  connection: Connection
  navigation: Navigation
  /** Storage that lasts. */
  memory: Memory
  /** Storage that lasts as long as this tab is open, through reloads. */
  visit: Memory
}

/** The context of the services. It has no default value. */
export const ServicesContext = createContext<Services | undefined>(undefined)

export function useServices(): Services {
  const services = useContext(ServicesContext)
  if (services === undefined) throw new Error('no services around this component')
  return services
}

/** The route of the pane that contains the component. */
export const RouteContext = createContext<Route | undefined>(undefined)

/** The route of the pane that contains the component, otherwise of the address. */
export function useRoute(): Route {
  const { navigation } = useServices()
  const address = useSyncExternalStore(navigation.subscribe, navigation.current)
  return useContext(RouteContext) ?? address
}

/** The last known state of the connection to the daemon. */
export function useConnection(): ConnectionState {
  const { connection } = useServices()
  return useSyncExternalStore(connection.subscribe, connection.current)
}
