// The relay of the bench: one replica over its own Postgres, with organizations, and for each of them one person who
// has entered its vault.
import { startReplica } from '../../test/support/relay-replica.ts'
import { defaultOrgLimits } from '../../control-plane/src/limits/org-use.ts'
import { answerParent } from '../part.ts'
import { startBenchDatabase } from '../bench-database.ts'
import { enteredOrganization } from './entered-organization.ts'

/** Bytes per second. The rate of one organization is accounted for as always, but the bench never reaches it. */
const BYTES_PER_SECOND = 1e11

const database = await startBenchDatabase()
const replica = await startReplica(database.url, {
  level: 'warn',
  limits: {
    ...defaultOrgLimits,
    bytesPerSecond: BYTES_PER_SECOND,
    burstBytes: BYTES_PER_SECOND * 32,
    queuedBytes: BYTES_PER_SECOND,
  },
})

const answers = {
  port: () => replica.port,
  organization: () => enteredOrganization(replica),
  connected: async (orgId: string) => (await replica.relay.status(orgId)).connected,
}
export type RelayAnswers = typeof answers
answerParent(answers, async () => {
  await replica.close()
  await database.stop()
})
