// The relay of the bench: one replica over its own Postgres, with organizations and one person per organization who has
// entered.
import { startReplica } from '../../test/support/relay-replica.ts'
import { answerParent } from '../part.ts'
import { startBenchDatabase } from './bench-database.ts'

const VAULT = 'bench'

const database = await startBenchDatabase()
const replica = await startReplica(database.url, { level: 'warn' })

const answers = {
  port: () => replica.port,
  /** An organization, and the headers of a browser whose user has entered its vault. */
  organization: async () => {
    const { orgId, apiKey, host, origin } = await replica.makeOrganization()
    const person = await replica.makePerson(orgId)
    const cookie = await replica.enter({ orgId, person, vault: VAULT })
    return { orgId, apiKey, headers: { host, origin, cookie } }
  },
  connected: async (orgId: string) => (await replica.relay.status(orgId)).connected,
}
export type RelayAnswers = typeof answers
answerParent(answers, async () => {
  await replica.close()
  await database.stop()
})
