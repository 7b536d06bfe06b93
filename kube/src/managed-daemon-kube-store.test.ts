import { expect, it } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { managedDaemonName } from '@svc/shared/wire/managed-daemon.ts'
import { StoreConflict, StoreNotReady, StoreRejection } from '@svc/shared/wire/managed-daemon-store.ts'
import { someSpec } from '../../test/support/managed-daemon-specs.ts'
import type { KubeClient, KubeRequest } from './kube-client.ts'
import { KubeError } from './kube-error.ts'
import { managedDaemonKubeStore } from './managed-daemon-kube-store.ts'

const spec = someSpec()
const name = managedDaemonName(spec.orgId)

/** A store whose API answers each write with a status, and has no resource. */
function storeOf(status: number, message = 'no') {
  const client: KubeClient = {
    request: async ({ method }: KubeRequest) => {
      throw new KubeError({ status: method === 'GET' ? 404 : status, reason: '', message })
    },
    follow: async () => {},
  }
  const log = createLog({ service: 'test', level: 'fatal' })
  const options = { client, clock: systemClock, log, random: () => 0 }
  return managedDaemonKubeStore({ ...options, namespace: 'daemons', fieldManager: 'test' })
}

const kindOf = (error: unknown) => (error as Error).constructor

it.each([
  [400, StoreRejection, StoreRejection],
  [422, StoreRejection, StoreRejection],
  [403, StoreNotReady, StoreNotReady],
  [404, StoreNotReady, StoreConflict],
  [409, StoreConflict, StoreConflict],
  [500, KubeError, KubeError],
])('takes a status of %d for what it is', async (status, ofCreate, ofPatch) => {
  const store = storeOf(status)
  expect(kindOf(await store.create(spec).catch((error: unknown) => error))).toBe(ofCreate)
  expect(kindOf(await store.patchSpec(name, '1', {}).catch((error: unknown) => error))).toBe(ofPatch)
})

it('says what to install when there is nowhere to create', async () => {
  await expect(storeOf(404).create(spec)).rejects.toThrow(/crds\.install.*namespace daemons/)
})
