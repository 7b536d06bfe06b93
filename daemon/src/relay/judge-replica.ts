import type { RelayHello } from '@svc/shared/wire/tunnel-hello.ts'

/** How many times a slot redials because it reached a replica that another tunnel already has. */
const MAX_SPREAD_TRIES = 6

type Judged = {
  hello: Pick<RelayHello, 'replicaId' | 'replicas' | 'tunnels'>
  /** The replicas of the daemon's other tunnels that take requests. */
  others: readonly string[]
  /** A replica that was overloaded and sent the slot away. */
  avoided: string | undefined
  spreadTries: number
}

/**
 * What a slot does with the tunnel that it has opened: take it, dial another replica, or end because the relay wants no
 * more tunnels than the others. A daemon keeps at least one, because the relay wants at least one. Pure.
 */
export function judgeReplica({ hello, others, avoided, spreadTries }: Judged): 'take' | 'spread' | 'end' {
  if (others.length >= hello.tunnels) return 'end'
  const isUnwelcome = others.includes(hello.replicaId) || avoided === hello.replicaId
  return isUnwelcome && hello.replicas > 1 && spreadTries < MAX_SPREAD_TRIES ? 'spread' : 'take'
}
