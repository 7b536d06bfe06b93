// The relay of the bench: one replica over a Postgres of its own, with organizations and a person who has entered each.
import { startReplica } from '../../test/support/relay-replica.ts'
import { answerParent } from '../part.ts'
import { startBenchDatabase } from './bench-database.ts'

const VAULT = 'bench'

const database = await startBenchDatabase()
const replica = await startReplica(database.url, { level: 'warn' })

const answers = {
  port: () => replica.port,
  /** An organization, and what a browser of a person sends who has entered its vault. */
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
