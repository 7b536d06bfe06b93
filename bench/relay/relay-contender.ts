import { until } from '../../test/support/until.ts'
import type { Part } from '../part.ts'
import type { Contender } from './contender.ts'
import type { RelayAnswers } from './relay-process.ts'
import type { TargetAnswers } from './target-process.ts'

type Options = {
  name: string
  relay: Part<RelayAnswers>
  target: Part<TargetAnswers>
  /** Where the target dials: the relay itself, or a line to it. */
  dialInPort: number
}

/** Our relay with all its checks: entry session, routes, headers, limits, and the target's own verification. */
export async function connectRelay({ name, relay, target, dialInPort }: Options): Promise<Contender> {
  const { orgId, apiKey, headers } = await relay.ask('organization')
  await target.ask('dial', { url: `http://127.0.0.1:${dialInPort}/t/${orgId}`, key: apiKey })
  await until('the target is connected', () => relay.ask('connected', orgId))
  const port = await relay.ask('port')
  return { name, endpoint: { port, headers }, processes: { relay: relay.pid, target: target.pid } }
}
