// The relay of the bench: one replica over its own Postgres, with hosted organizations. The bench itself starts their
// daemons.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { HostedDaemons } from '../../control-plane/src/gateway/wake-queue.ts'
import { startReplica } from '../../test/support/relay-replica.ts'
import { answerParent } from '../part.ts'
import { startBenchDatabase } from '../bench-database.ts'
import { enteredOrganization } from '../relay/entered-organization.ts'

const asleep = new Set<string>()
const starting = new Set<string>()
const stateOf = (orgId: string) =>
  asleep.has(orgId) ? 'sleeping' : starting.has(orgId) ? 'starting' : ('running' as const)
const hosted: HostedDaemons = {
  state: async (orgId) => stateOf(orgId),
  wakeIfAsleep: async (orgId) => {
    const state = stateOf(orgId)
    if (asleep.delete(orgId)) starting.add(orgId)
    return state
  },
}
const database = await startBenchDatabase()
const replica = await startReplica(database.url, { level: 'error', hosted })

const delay = monitorEventLoopDelay({ resolution: 2 })
delay.enable()
let cpu = process.cpuUsage()

const answers = {
  /** The longest delay of the event loop and the CPU time since the last call, in milliseconds. */
  load: () => {
    const { user, system } = process.cpuUsage(cpu)
    const longest = delay.max / 1e6
    cpu = process.cpuUsage()
    delay.reset()
    return { cpuMs: (user + system) / 1_000, longestMs: longest }
  },
  port: () => replica.port,
  organization: () => enteredOrganization(replica),
  connected: async (orgId: string) => (await replica.relay.status(orgId)).connected,
  sleep: (orgIds: string[]) => {
    for (const orgId of orgIds) asleep.add(orgId)
  },
  /** The organizations that were asked to wake since the last call. */
  woken: () => {
    const orgIds = [...starting]
    starting.clear()
    return orgIds
  },
}
export type StormRelayAnswers = typeof answers
answerParent(answers, async () => {
  await replica.close()
  await database.stop()
})
