import type { Endpoint } from './load.ts'

/** One way from the client to the target. */
export type Contender = {
  name: string
  endpoint: Endpoint
  /** Process ids by what they are, the client apart; what they started counts as theirs. */
  processes: Record<string, number>
}

/** An endpoint that asks for nothing but a Host. */
export const openEndpoint = (port: number): Endpoint => ({ port, headers: { host: 'bench' } })
