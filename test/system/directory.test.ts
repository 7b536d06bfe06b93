import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '@svc/shared/wire/new-id.ts'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { makeFirstAdmin } from '../support/first-admin.ts'
import type { Person } from '../support/person.ts'
import { addFleet } from '../support/some-fleet.ts'

const operatorOrg = newId('org_')
let cp: TestControlPlane
let admin: Person

beforeAll(async () => {
  cp = await startControlPlane({ environment: { OPERATOR_ORG: operatorOrg } })
  admin = cp.person()
  await admin.signUp({ email: 'root@example.org' })
  await makeFirstAdmin(cp, operatorOrg, admin)
  await addFleet(cp, 3)
  const person = cp.person()
  await person.signUp({ email: 'ada_b@example.org', name: 'Ada 100% Example' })
  await person.post('/api/provisioning/orgs/self-hosted', { name: 'Alder', slug: 'alder' })
})
afterAll(() => cp.stop())

test('organizations of both modes are listed, filtered and read page by page', async () => {
  verifies('admin.directory')
  const list = async (query: string) => (await admin.get(`/api/admin/organizations${query}`)).body
  const slugs = (body: { organizations: { orgSlug: string }[] }) => body.organizations.map(({ orgSlug }) => orgSlug)
  const all = await list('')
  expect(new Set(all.organizations.map(({ mode }: { mode: string }) => mode))).toEqual(
    new Set(['self_hosted', 'cloud_hosted', null]),
  )
  expect(all.total).toBe(all.organizations.length)
  const self = await list('?mode=self_hosted')
  expect(self.organizations).toMatchObject([{ orgSlug: 'alder', members: 1, admins: 1, lastSeenAt: null }])
  expect(slugs(await list('?q=ALD'))).toEqual(['alder'])
  expect((await list('?q=%25')).total).toBe(0)

  const read: string[] = []
  let cursor = ''
  do {
    const page = await list(`?limit=2${cursor}`)
    read.push(...slugs(page))
    cursor = page.nextCursor === undefined ? '' : `&cursor=${page.nextCursor}`
  } while (cursor !== '')
  expect(read).toEqual(slugs(all))
})

test('people are listed with their organizations, by any part of name or address', async () => {
  verifies('admin.directory')
  const { body } = await admin.get('/api/admin/people?q=100%25')
  expect(body).toMatchObject({
    total: 1,
    people: [
      {
        email: 'ada_b@example.org',
        emailVerified: true,
        twoFactor: false,
        organizations: [{ orgSlug: 'alder', role: 'admin' }],
      },
    ],
  })
  expect(body.people[0].lastSeenAt).not.toBeNull()
  const first = (await admin.get('/api/admin/people?limit=1')).body
  const second = (await admin.get(`/api/admin/people?limit=1&cursor=${first.nextCursor}`)).body
  expect([first.total, first.people[0].email, second.people[0].email]).toEqual([
    2,
    'ada_b@example.org',
    'root@example.org',
  ])
  expect((await admin.get('/api/admin/people?cursor=nonsense')).status).toBe(400)
})
