import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { isFailure } from '@svc/shared/wire/errors.ts'
import { createLedgerBilling, type Billing } from '../../control-plane/src/billing/billing.ts'
import { ledgerRepository } from '../../control-plane/src/billing/ledger.repository.ts'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { hurriedClock } from '../support/hurried-clock.ts'
import type { Person } from '../support/person.ts'
import { until } from '../support/until.ts'

let cp: TestControlPlane
let ada: Person
let billing: Billing
beforeAll(async () => {
  cp = await startControlPlane({ working: true, clock: hurriedClock(25) })
  ada = cp.person()
  await ada.signUp({ email: 'ada@example.org' })
  billing = createLedgerBilling(ledgerRepository(cp.db, systemClock))
})
afterAll(() => cp.stop())

let count = 0
async function makeOrganization() {
  const name = `Payer ${(count += 1)}`
  const { body } = await ada.post('/api/provisioning/orgs/self-hosted', { name })
  const orgId = body.organization.id as string
  const remove = async () => {
    const answer = await ada.delete(`/api/orgs/${orgId}`, { name })
    return answer.body.error?.code ?? answer.status
  }
  return { orgId, remove, reservation: { orgId, reservationId: `res-${orgId}`, amountMinor: 900, currency: 'EUR' } }
}
const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'ok',
    (error: unknown) => (isFailure(error) ? error.code : String(error)),
  )

/** A complimentary grant in this state, with its lease if it has one. */
async function putGrant(orgId: string, state: 'requested' | 'executing' | 'failed', lease?: 'installed') {
  const at = systemClock.now()
  const operationId = `grant-${orgId}`
  await cp.db
    .insertInto('operations')
    .values({
      operation_id: operationId,
      org_id: orgId,
      action: 'comped_grant',
      actor_kind: 'user',
      actor_id: ada.id,
      reason: 'test',
      input: '{}',
      state,
      requested_at: at,
      updated_at: at,
      ...(state === 'failed' ? { finished_at: at, failure_code: 'operation_failed' } : {}),
    })
    .execute()
  if (lease === undefined) return
  await cp.db
    .insertInto('entitlements')
    .values({ org_id: orgId, kind: 'comped', operation_id: operationId, granted_at: at, lease_installed_at: at })
    .execute()
}

test.each([
  ['is requested', 'organization_busy', 'requested', undefined],
  ['is executing', 'organization_busy', 'executing', undefined],
  ['has installed its provisioning lease', 'ok', 'executing', 'installed'],
  ['has failed', 'ok', 'failed', undefined],
] as const)('while a grant %s, a reservation is answered %s', async (_sentence, wanted, state, lease) => {
  verifies('claim.grant-blocks')
  const { orgId, reservation } = await makeOrganization()
  await putGrant(orgId, state, lease)
  expect(await codeOf(billing.reserve(reservation))).toBe(wanted)
})

test('reserving again changes nothing, and the id of one organization is no other’s', async () => {
  verifies('billing.reservations')
  const [one, other] = [await makeOrganization(), await makeOrganization()]
  await billing.reserve(one.reservation)
  await billing.reserve({ ...one.reservation, amountMinor: 1 })
  expect(await codeOf(billing.reserve({ ...one.reservation, orgId: other.orgId }))).toBe('organization_busy')
  const rows = await cp.db.selectFrom('billing_reservations').selectAll().where('org_id', '=', one.orgId).execute()
  expect(rows.map(({ amount_minor, state }) => [amount_minor, state])).toEqual([[900, 'held']])
  expect(await billing.hasPaymentHistory(other.orgId)).toBe(false)
})

test('money is captured or released, never both, whoever is first', async () => {
  verifies('billing.reservations')
  for (let round = 0; round < 10; round += 1) {
    const { orgId, reservation } = await makeOrganization()
    await billing.reserve(reservation)
    const { reservationId } = reservation
    const outcomes = await Promise.all([
      codeOf(billing.capture(reservationId, `pay-${orgId}`)),
      codeOf(billing.release(reservationId)),
      codeOf(billing.capture(reservationId, `pay-again-${orgId}`)),
    ])
    expect(outcomes.toSorted()).toEqual(['not_found', 'not_found', 'ok'])
    const payments = await cp.db
      .selectFrom('billing_payments')
      .select('payment_id')
      .where('org_id', '=', orgId)
      .execute()
    expect(payments).toHaveLength(outcomes[1] === 'ok' ? 0 : 1)
  }
})

test('an organization is deleted while nothing is reserved and nothing was ever paid', async () => {
  verifies('billing.blocks-deletion')
  const released = await makeOrganization()
  await billing.reserve(released.reservation)
  expect(await released.remove()).toBe('organization_has_payment_history')
  await billing.release(released.reservation.reservationId)
  expect(['operation_in_progress', 200]).toContain(await released.remove())
  const isThere = () =>
    cp.db.selectFrom('organization').select('id').where('id', '=', released.orgId).executeTakeFirst()
  await until('the organization is gone', async () => (await isThere()) === undefined)

  const paid = await makeOrganization()
  await billing.reserve(paid.reservation)
  await billing.capture(paid.reservation.reservationId, `pay-${paid.orgId}`)
  expect(await paid.remove()).toBe('organization_has_payment_history')
})
