import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '@svc/shared/wire/new-id.ts'
import { systemClock, type Clock } from '@svc/shared/kit/clock.ts'
import { verifies } from '../requirements.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { makeFirstAdmin } from '../support/first-admin.ts'
import { mailedToken } from '../support/mailbox.ts'
import type { Person } from '../support/person.ts'

const operatorOrg = newId('org_')
let cp: TestControlPlane
let root: Person
let ada: Person
let bob: Person
let acme: { id: string; slug: string; name: string }
let offset = 0
const clock: Clock = { ...systemClock, now: () => new Date(Date.now() + offset) }

const auth = (person: Person, path: string, body: object) => person.post(`/api/auth/organization/${path}`, body)
const search = async (person: Person, address: string) => (await person.get(address)).body
const eventsOf = (page: { entries: { record: { event: string } }[] }) => page.entries.map(({ record }) => record.event)

beforeAll(async () => {
  cp = await startControlPlane({ clock, environment: { OPERATOR_ORG: operatorOrg } })
  ;[root, ada, bob] = [cp.person(), cp.person(), cp.person()]
  await root.signUp({ email: 'root@example.org', name: 'Root' })
  await ada.signUp({ email: 'ada@example.org', name: 'Ada' })
  await bob.signUp({ email: 'bob@example.org', name: 'Bob' })
  await makeFirstAdmin(cp, operatorOrg, root, clock)

  acme = (await ada.post('/api/provisioning/orgs/self-hosted', { name: 'Acme' })).body.organization
  const sent = await auth(ada, 'invite-member', { organizationId: acme.id, email: bob.email, role: 'member' })
  const token = mailedToken(await cp.mailTo(bob.email, 'invitation'))
  await auth(bob, 'accept-invitation', { invitationId: sent.body.id, token })
  await ada.post(`/api/orgs/${acme.id}/api-key/rotate`, {})
  offset = 3_600_000
  await auth(ada, 'remove-member', { organizationId: acme.id, memberIdOrEmail: bob.email })
})
afterAll(() => cp.stop())

test('an admin reads who did what in the organization, with names', async () => {
  verifies('security.audit-readable')
  const page = await search(ada, `/api/orgs/${acme.id}/audit`)
  expect(eventsOf(page)).toEqual([
    'organization.member_removed',
    'daemon_key.rotated',
    'organization.invitation_accepted',
    'organization.invitation_sent',
    'daemon_key.issued',
    'organization.created',
  ])
  const [removed, rotated, , sent, issued, created] = page.entries
  expect(removed.record).toMatchObject({ actor: { id: ada.id }, subject: bob.id, outcome: 'done' })
  expect(rotated.record).toMatchObject({ outcome: 'with_grace' })
  expect(sent.record.role).toBe('member')
  expect(issued.record).toMatchObject({ actor: { id: ada.id }, orgId: acme.id })
  expect(created.record).toMatchObject({ actor: { id: ada.id }, orgId: acme.id })
  expect(page.names).toMatchObject({
    [ada.id]: { name: 'Ada', email: 'ada@example.org' },
    [acme.id]: { name: 'Acme', slug: acme.slug },
    [sent.record.subject]: { name: 'bob@example.org' },
  })
  expect(page.names[bob.id]).toEqual({ name: 'Bob' }) // no longer a member, so his address is not shown
  expect((await ada.get(`/api/orgs/${acme.id}/audit/verify`)).body).toMatchObject({ valid: true, chains: 1 })
})

test('an admin learns no address of people outside the organization, nor guesses one', async () => {
  verifies('security.audit-readable')
  const bolt = (await ada.post('/api/provisioning/orgs/self-hosted', { name: 'Bolt' })).body.organization
  const eve = cp.person()
  await eve.signUp({ email: 'eve@example.org', name: 'Eve' })
  await cp.db.updateTable('user').set({ name: '' }).where('id', '=', eve.id).execute()
  const record = { actor: { id: eve.id, kind: 'user' }, at: new Date().toISOString(), event: 'test.happened' }
  await cp.db
    .insertInto('audit_entries')
    .values({ chain: bolt.id, record: JSON.stringify(record) })
    .execute()
  const audit = (filter: string) => search(ada, `/api/orgs/${bolt.id}/audit?${filter}`)

  const page = await audit('')
  expect(eventsOf(page)).toContain('test.happened')
  expect(page.names[eve.id]).toEqual({ name: 'Somebody without a name' })
  expect(JSON.stringify(page)).not.toContain('eve@example.org')
  expect(eventsOf(await audit('actor=Eve@example.org'))).toEqual([])
  expect(eventsOf(await audit(`actor=${eve.id}`))).toEqual(['test.happened'])

  // Members are found by their address, and so are people who joined by an invitation to it.
  expect(eventsOf(await audit('actor=ADA@example.org'))).toContain('organization.created')
  const invited = await search(ada, `/api/orgs/${acme.id}/audit?actor=BOB@example.org`)
  expect(eventsOf(invited)).toEqual(['organization.invitation_accepted'])
  await auth(ada, 'invite-member', { organizationId: bolt.id, email: eve.email, role: 'member' })
  expect(eventsOf(await audit('actor=eve@example.org'))).toEqual([])

  expect((await eve.delete('/api/settings/account', { confirmation: eve.email })).status).toBe(200)
  expect((await audit('')).names[eve.id]).toEqual({ name: 'Somebody without a name' })
})

test('who has no name invites by the address, which no copied link tells', async () => {
  verifies('security.invitations')
  const fay = cp.person()
  await fay.signUp({ email: 'fay@example.org', name: 'Fay' })
  await cp.db.updateTable('user').set({ name: '' }).where('id', '=', fay.id).execute()
  const { id } = (await fay.post('/api/provisioning/orgs/self-hosted', { name: 'Fjord' })).body.organization
  const sent = await auth(fay, 'invite-member', { organizationId: id, email: 'gus@example.org', role: 'member' })
  const mail = await cp.mailTo('gus@example.org', 'invitation')
  expect([mail.subject, mail.text]).toEqual([
    'fay@example.org invites you to Fjord',
    expect.stringContaining('fay@example.org invites you to join Fjord.'),
  ])
  const { link } = (await fay.post(`/api/orgs/${id}/invitations/${sent.body.id}/link`)).body
  const opened = await cp.person().post(`/api/invitations/${sent.body.id}/preview`, { token: mailedToken({ link }) })
  expect(opened.body.invitation).toMatchObject({ inviter: { name: 'An admin' }, organization: { name: 'Fjord' } })
  expect(opened.text).not.toContain('fay@example.org')
})

describe('a system admin', () => {
  test('names an organization by its short name or id, in every route of the audit', async () => {
    verifies('security.audit-readable')
    for (const chain of [acme.slug, acme.id]) {
      const page = await search(root, `/api/admin/audit?chain=${chain}`)
      expect([page.chain, page.entries.length]).toEqual([acme.id, 6])
      expect((await root.get(`/api/admin/audit/verify?chain=${chain}`)).body).toMatchObject({ valid: true, entries: 6 })
      expect((await root.get(`/api/admin/audit/export?chain=${chain}`)).text.split('\n').length).toBe(9)
    }
    const unknown = await root.get('/api/admin/audit?chain=no-such-organization')
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'not_found'])
  })

  test('finds an export that was read, and none for a HEAD request, which reads nothing', async () => {
    verifies('http.head')
    const exports = async () =>
      (await search(root, '/api/admin/audit?chain=platform&event=audit.exported')).entries.length as number
    const before = await exports()
    const path = `/api/admin/audit/export?chain=${acme.id}`
    const head = await root.send('HEAD', path)
    expect([head.status, head.headers['allow'], await exports()]).toEqual([405, 'GET', before])
    expect((await root.get(path)).status).toBe(200)
    expect(await exports()).toBe(before + 1)
  })

  test('finds who became system admin on the chain of the platform', async () => {
    verifies('security.audit-readable')
    const page = await search(root, '/api/admin/audit?chain=platform&event=system_admins')
    expect(eventsOf(page)).toEqual(['system_admins.setup_claimed', 'system_admins.setup_link_minted'])
    expect(page.entries[0].record).toMatchObject({ subject: root.id, role: 'admin' })
    expect(page.names[root.id]).toEqual({ name: 'Root', email: 'root@example.org' })
  })
})

describe('filters', () => {
  const filtered = (filter: string) => search(root, `/api/admin/audit?chain=${acme.slug}&${filter}`)

  test('by action, by what it begins with, by person and by time', async () => {
    verifies('security.audit-readable')
    expect(eventsOf(await filtered('event=daemon_key.rotated'))).toEqual(['daemon_key.rotated'])
    expect(eventsOf(await filtered('event=organization'))).toHaveLength(4)
    expect(eventsOf(await filtered('event=organ'))).toEqual([])
    expect(eventsOf(await filtered('actor=BOB@example.org'))).toEqual(['organization.invitation_accepted'])
    expect(eventsOf(await filtered(`actor=${bob.id}`))).toEqual(['organization.invitation_accepted'])
    expect(eventsOf(await filtered('actor=nobody@example.org'))).toEqual([])
    const later = new Date(Date.now() + 1_800_000).toISOString()
    expect(eventsOf(await filtered(`from=${later}`))).toEqual(['organization.member_removed'])
    expect(eventsOf(await filtered(`to=${later}`))).toHaveLength(5)
    for (const bad of ['event=A', 'from=yesterday', 'actor=', 'limit=0'])
      expect((await root.get(`/api/admin/audit?chain=${acme.slug}&${bad}`)).status, bad).toBe(400)
  })

  test('pages of a long chain are complete and in order, whatever is filtered out between', async () => {
    const chain = newId('org_')
    await cp.db
      .insertInto('audit_entries')
      .values(
        Array.from({ length: 1_300 }, (_, row) => ({
          chain,
          record: JSON.stringify({
            actor: { id: row % 100 === 0 ? bob.id : ada.id, kind: 'user' },
            at: new Date().toISOString(),
            event: 'test.happened',
          }),
        })),
      )
      .execute()
    const seqs: number[] = []
    let cursor = ''
    for (let pages = 0; pages < 10; pages += 1) {
      const page = await search(root, `/api/admin/audit?chain=${chain}&actor=${bob.id}&limit=5${cursor}`)
      seqs.push(...page.entries.map(({ seq }: { seq: number }) => seq))
      if (page.nextCursor === undefined) break
      cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`
    }
    expect(seqs).toEqual(Array.from({ length: 13 }, (_, nth) => 1_201 - nth * 100))
  })
})
