import { systemClock } from '@svc/shared/kit/clock.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import type { DocumentedOperation } from './arbitrary-requests.ts'
import { startControlPlane, type TestControlPlane } from './control-plane.ts'
import { makeFirstAdmin } from './first-admin.ts'
import { hurriedClock } from './hurried-clock.ts'
import { mailedToken } from './mailbox.ts'
import type { Person } from './person.ts'

/** A clock that is this much faster: routes that wait up to 25 s wait 1 s here. */
const FASTER = 25
export const TOKEN = 'image-token-of-the-tests-0123456789abcdef'

type Place = { userId: string; orgId: string; role: 'admin' | 'member' }

/** A control plane, the callers of its routes, and the secrets that no caller may see. */
export type World = {
  cp: TestControlPlane
  callers: Record<string, Person>
  places: Place[]
  /** Password hashes by person. */
  passwords: ReadonlyMap<string, string | null>
  words: Record<string, readonly string[]>
  /** Ids and names of an organization in which no caller is a member. */
  secrets: string[]
  operations: DocumentedOperation[]
}

/** People of every role, organizations of both modes, and one in which no caller is a member. */
export async function makeWorld(): Promise<World> {
  const operatorOrg = newId('org_')
  const cp = await startControlPlane({
    environment: { MCP_ENABLED: '1', OPERATOR_ORG: operatorOrg, MANAGED_DAEMON_ADMIN_TOKEN: TOKEN },
    clock: hurriedClock(FASTER),
  })
  const people = {} as Record<'outsider' | 'member' | 'admin' | 'systemAdmin' | 'stranger', Person>
  for (const name of ['outsider', 'member', 'admin', 'systemAdmin', 'stranger'] as const) {
    people[name] = cp.person()
    await people[name].signUp({ email: `${name.toLowerCase()}-of-test@example.org`, name: `Person ${name}` })
  }
  const { outsider, member, admin, systemAdmin, stranger } = people
  await makeFirstAdmin(cp, operatorOrg, systemAdmin)
  const provision = async (who: Person, kind: string, name: string) =>
    (await who.post(`/api/provisioning/orgs/${kind}`, { name })).body.organization as { id: string; slug: string }
  const ours = await provision(admin, 'self-hosted', 'Acme')
  const hosted = await provision(admin, 'cloud-hosted/comped', 'Hosted Acme')
  const theirs = await provision(stranger, 'self-hosted', 'Secret society')
  const { body: pending } = await stranger.post('/api/auth/organization/invite-member', {
    organizationId: theirs.id,
    email: 'whispered@example.org',
    role: 'member',
  })
  const { body: invitation } = await admin.post('/api/auth/organization/invite-member', {
    organizationId: ours.id,
    email: member.email,
    role: 'member',
  })
  await member.post('/api/auth/organization/accept-invitation', {
    invitationId: invitation.id,
    token: mailedToken(await cp.mailTo(member.email, 'invitation')),
  })
  const { body: document } = await cp.person().get('/api/openapi.json')
  const operations = Object.entries(document.paths as Record<string, Record<string, Omit<DocumentedOperation, 'path'>>>)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
    )
    // A stream does not end, so do not wait for its end.
    .filter(({ path }) => path !== '/api/events')
  const accounts = await cp.db.selectFrom('account').select(['userId', 'password']).execute()
  const orgIds = [ours.id, hosted.id, theirs.id, operatorOrg]
  return {
    cp,
    passwords: new Map(accounts.map(({ userId, password }) => [userId, password])),
    callers: { anonymous: cp.person(), outsider, member, admin, systemAdmin },
    places: [
      { userId: admin.id, orgId: ours.id, role: 'admin' },
      { userId: admin.id, orgId: hosted.id, role: 'admin' },
      { userId: member.id, orgId: ours.id, role: 'member' },
      { userId: systemAdmin.id, orgId: operatorOrg, role: 'admin' },
    ],
    secrets: [
      theirs.id,
      theirs.slug,
      stranger.id,
      stranger.email,
      pending.id,
      'whispered@example.org',
      'Secret society',
    ],
    words: {
      orgId: orgIds,
      organizationId: orgIds,
      orgIds,
      orgSlug: [ours.slug, hosted.slug, theirs.slug],
      slug: [ours.slug, hosted.slug, theirs.slug],
      invitationId: [invitation.id, pending.id],
      email: [member.email, stranger.email, 'nobody@example.org'],
      userId: [member.id, stranger.id],
      chain: ['platform', ours.id, theirs.id],
      confirmation: [ours.id, ours.slug, hosted.slug, hosted.id],
    },
    operations,
  }
}

/** Restores what the requests of people removed: sessions by a new sign-in, memberships by row. */
export async function restore({ cp, callers, places, passwords }: World): Promise<void> {
  for (const [name, person] of Object.entries(callers)) {
    if (name === 'anonymous' || (await person.get('/api/settings')).status === 200) continue
    // A generated request may have changed the password to the example in the document.
    await cp.db
      .updateTable('user')
      .set({ email: person.email, emailVerified: true, twoFactorEnabled: false })
      .where('id', '=', person.id)
      .execute()
    await cp.db
      .updateTable('account')
      .set({ password: passwords.get(person.id) ?? null })
      .where('userId', '=', person.id)
      .where('providerId', '=', 'credential')
      .execute()
    const signedIn = await person.signIn()
    if (signedIn.status !== 200) throw new Error(`${name} cannot sign in again: ${signedIn.text}`)
  }
  for (const { userId, orgId, role } of places) {
    const isThere = await cp.db.selectFrom('organization').select('id').where('id', '=', orgId).executeTakeFirst()
    if (isThere === undefined) continue
    const found = await cp.db
      .selectFrom('member')
      .select('id')
      .where('userId', '=', userId)
      .where('organizationId', '=', orgId)
      .executeTakeFirst()
    if (found === undefined)
      await cp.db
        .insertInto('member')
        .values({ id: newId('mem_'), organizationId: orgId, userId, role, createdAt: systemClock.now() })
        .execute()
  }
}
