import type { Endpoint } from './load.ts'

/** One way from the client to the target. */
export type Contender = {
  name: string
  endpoint: Endpoint
  /** Process ids by role, without the client. Child processes are included in the figures. */
  processes: Record<string, number>
}

/** An endpoint that needs nothing but a Host. */
export const openEndpoint = (port: number): Endpoint => ({ port, headers: { host: 'bench' } })
