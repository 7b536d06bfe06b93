import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { managedDaemonName } from '@svc/shared/wire/managed-daemon.ts'
import { seenDaemonsRepository } from '../../control-plane/src/inventory/seen-daemons.repository.ts'
import { mintSetupLink } from '../../control-plane/src/setup/setup-link.ts'
import { setupRepository } from '../../control-plane/src/setup/setup.repository.ts'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { someDaemon } from '../support/managed-daemon-specs.ts'
import type { Person } from '../support/person.ts'

const ORGANIZATIONS = 10_000
const BATCH = 500
const REQUESTS = 200
const ROUNDS = 2
const LIMIT_MS = 100
const GIB = 2 ** 30
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
  const link = await mintSetupLink({ setup: setupRepository(cp.db, systemClock), operatorOrg, baseUrl: cp.origin })
  await admin.post('/api/setup/claim', { token: new URL(link!).hash.slice(1) })
  await makeFleet()
}, 300_000)
afterAll(() => cp?.stop())

const slugOf = (index: number) => `org-${String(index).padStart(5, '0')}`

/** Hosted organizations, each with a daemon, an entitlement, a backup, and five events of the last day. */
async function makeFleet(): Promise<void> {
  const seen = seenDaemonsRepository(cp.db)
  for (let from = 0; from < ORGANIZATIONS; from += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, index) => ({ id: newId('org_'), index: from + index }))
    ids.push(...batch.map(({ id }) => id))
    const organizations = batch.map(({ id, index }) => ({
      id,
      slug: slugOf(index),
      name: `Organization ${index}`,
      daemon_mode: 'cloud_hosted' as const,
      createdAt: new Date(),
      logo: null,
      metadata: null,
    }))
    await cp.db.insertInto('organization').values(organizations).execute()
    await seen.upsert(
      batch.map(({ id, index }) => {
        const observedState = index % 5 === 0 ? 'running' : 'sleeping'
        const storage = { usedBytes: (index % 100) * Math.floor(GIB / 100), capacityBytes: GIB }
        return someDaemon(
          { orgId: id, orgSlug: slugOf(index), desiredState: observedState },
          {
            name: managedDaemonName(id),
            uid: `uid-${index}`,
            status: { observedState, conditions: [], version: `1.0.${index % 7}`, storage },
          },
        )
      }),
    )
  }
  await sql`insert into entitlements (org_id, kind, operation_id, granted_at)
    select id, 'comped', 'grant-' || id, now() from organization where slug like 'org-%'`.execute(cp.db)
  await sql`insert into backup_states (organization_id, last_backup_id, last_taken_at, last_files, last_bytes)
    select id, 'bak_20260101000000aaaaaaaaaa', now(), 10, 1000 from organization where slug like 'org-%'`.execute(cp.db)
  await sql`insert into lifecycle_events (org_id, kind, at, observed_state)
    select id, 'state_observed', now() - n * interval '4 hours', case when n % 2 = 0 then 'running' else 'sleeping' end
    from organization, generate_series(1, 5) n where slug like 'org-%'`.execute(cp.db)
  await sql`analyze`.execute(cp.db)
}

const p99 = (times: number[]) => times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1]!

/** The best of several rounds: other work on the machine may spoil one. */
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

  // Each page follows the one before, as somebody turns them.
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
