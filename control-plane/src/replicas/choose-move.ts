import type { Replica } from './tunnel-directory.ts'

/** A replica is overloaded when it holds a quarter more than the mean, plus this number. */
const TOLERANCE = 1.25
const SLACK = 2

/** How many tunnels a replica holds above its share; 0 while another replica has not reported its number. */
export function excessOf(replicaId: string, replicas: readonly Replica[]): number {
  const own = replicas.find((replica) => replica.replicaId === replicaId)?.tunnels
  const loads = replicas.map(({ tunnels }) => tunnels).filter((tunnels) => tunnels !== undefined)
  if (own === undefined || loads.length < replicas.length) return 0
  const mean = loads.reduce((sum, load) => sum + load, 0) / loads.length
  return Math.max(0, own - Math.ceil(mean * TOLERANCE) - SLACK)
}

type Spread = {
  replicaId: string
  replicas: readonly Replica[]
  /** The replica of each staying tunnel of one daemon. */
  holders: readonly string[]
  overloaded: boolean
}

/**
 * Whether a replica should ask one of a daemon's tunnels to move: another replica holds at least two fewer of them, or
 * one fewer when this replica is overloaded.
 */
export function shouldMove({ replicaId, replicas, holders, overloaded }: Spread): boolean {
  const countAt = (id: string) => holders.filter((holder) => holder === id).length
  const others = replicas.filter((replica) => replica.replicaId !== replicaId)
  if (others.length === 0) return false
  const fewest = Math.min(...others.map((other) => countAt(other.replicaId)))
  return countAt(replicaId) - fewest >= (overloaded ? 1 : 2)
}
