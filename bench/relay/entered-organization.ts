import type { RelayHarness } from '../../test/support/relay-replica.ts'

/** An organization, and the headers of a browser whose user has entered its vault. */
export async function enteredOrganization(replica: RelayHarness) {
  const { orgId, apiKey, host, origin } = await replica.makeOrganization()
  const person = await replica.makePerson(orgId)
  const cookie = await replica.enter({ orgId, person, vault: 'bench' })
  return { orgId, apiKey, headers: { host, origin, cookie } }
}
