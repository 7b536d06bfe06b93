import { decodeProtectedHeader } from 'jose'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { ASSERTION_HEADER } from '@svc/shared/wire/assertions.ts'
import { createRotateSigningKeys } from '../../control-plane/src/entry/rotate-signing-keys.ts'
import { verifies } from '../requirements.ts'
import { startRelay } from '../support/relay.ts'
import { startDaemon } from '../support/relay-replica.ts'
import { until } from '../support/until.ts'

test('after signing keys were withdrawn, the next request of a session is signed with the new key', async () => {
  verifies('signing-keys.withdrawal')
  // On this clock no assertion expires, so only the withdrawal can replace one.
  const startedAt = systemClock.now()
  const clock = { ...systemClock, now: () => startedAt }
  const harness = await startRelay({ clock })
  onTestFinished(() => harness.close())
  const org = await harness.makeOrganization()
  const cookie = await harness.enter({ orgId: org.orgId, person: await harness.makePerson(org.orgId), vault: 'v' })
  const daemon = await startDaemon(harness, org, ({ headers }, response) =>
    response.end(decodeProtectedHeader(String(headers[ASSERTION_HEADER])).kid),
  )
  onTestFinished(() => daemon.close())
  await until('the daemon is there', async () => (await harness.relay.status(org.orgId)).connected)
  const kidOfRequest = async () => {
    const { status, text } = await harness.ask({ host: org.host, path: '/api/vaults/v/tree', headers: { cookie } })
    expect(status).toBe(200)
    return text
  }
  const withdrawn = await kidOfRequest()

  const { db, relay } = harness
  const { signingKeys } = relay
  const { rotate } = createRotateSigningKeys({ db, clock, signingKeys, recordAudit: async () => {} })
  await rotate({ actor: { kind: 'system', id: 'test' }, reason: 'leaked', how: 'at_once' })
  // The relay reads revocations every two seconds.
  await until('requests are signed with another key', async () => (await kidOfRequest()) !== withdrawn)
  const [published] = (await signingKeys.published()).filter(({ uses }) => uses.includes('request'))
  expect(await kidOfRequest()).toBe(published?.kid)
})
