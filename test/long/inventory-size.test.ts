import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { makeFirstAdmin } from '../support/first-admin.ts'
import { addLargeFleet, slugOf } from '../support/large-fleet.ts'
import type { Person } from '../support/person.ts'

const ORGANIZATIONS = 10_000
const REQUESTS = 200
const ROUNDS = 2
const LIMIT_MS = 100
const operatorOrg = newId('org_')

let cp: TestControlPlane
let admin: Person
const ids: string[] = []

beforeAll(async () => {
  cp = await startControlPlane({
    environment: {
      OPERATOR_ORG: operatorOrg,
      BACKUP_BUCKET: 'backups',
      BACKUP_ENDPOINT: 'http://127.0.0.1:9',
      BACKUP_KEY: 'a-backup-key-of-the-tests-that-is-long-enough',
    },
  })
  admin = cp.person()
  await admin.signUp({ email: 'admin@example.org' })
  await makeFirstAdmin(cp, operatorOrg, admin)
  ids.push(...(await addLargeFleet(cp.db, ORGANIZATIONS)))
}, 900_000)
afterAll(() => cp?.stop())

const p99 = (times: number[]) => times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1]!

/** The best of several rounds, because other work on the machine may spoil one. */
async function measure(what: string, pathOf: (index: number) => string): Promise<number> {
  const rounds: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const times: number[] = []
    for (let index = 0; index < REQUESTS; index += 1) {
      const since = systemClock.monotonic()
      const answer = await admin.get(pathOf(index))
      times.push(systemClock.monotonic() - since)
      expect(answer.status, answer.text).toBe(200)
    }
    rounds.push(p99(times))
  }
  const best = Math.min(...rounds)
  console.log(`${what}: p99 ${rounds.map((ms) => ms.toFixed(0)).join(', ')} ms`)
  return best
}

test('the inventory and its overview are read in 100 ms with 10,000 organizations', { timeout: 600_000 }, async () => {
  verifies('admin.inventory-size')
  const list = '/api/admin/managed-daemons'
  const first = await admin.get(list)
  expect(first.body.total).toBe(ORGANIZATIONS)
  expect(first.body.daemons[0].backup.last.files).toBe(10)
  const middle = await admin.get(`${list}?q=org-04999`)
  expect(middle.body.daemons).toHaveLength(1)

  // Read page after page, as a person turns them.
  let cursor = ''
  const cursors: string[] = []
  for (let page = 0; page < 100; page += 1) {
    const { body } = await admin.get(`${list}?limit=50${cursor}`)
    cursor = `&cursor=${encodeURIComponent(body.nextCursor)}`
    cursors.push(cursor)
  }
  const measured = {
    'a page of the inventory': await measure('pages', (index) => `${list}?limit=50${cursors[index % cursors.length]}`),
    'a search': await measure('search', (index) => `${list}?q=${slugOf((index * 37) % ORGANIZATIONS)}`),
    'a filter': await measure('filter', (index) => `${list}?observedState=running&version=1.0.${index % 7}`),
    'the overview': await measure('overview', () => '/api/admin/overview'),
    'one daemon': await measure('one', (index) => `${list}?orgId=${ids[(index * 37) % ids.length]}`),
  }
  for (const [what, ms] of Object.entries(measured)) expect(ms, what).toBeLessThanOrEqual(LIMIT_MS)
})
