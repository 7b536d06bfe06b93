import { systemClock } from '@svc/shared/kit/clock.ts'
import { startControlPlane, type TestControlPlane } from './control-plane.ts'
import { mailedToken } from './mailbox.ts'
import { allPairsOf, type PairWorld } from './pair-runs.ts'
import type { Answer, Person } from './person.ts'
import { until } from './until.ts'

// Changes of the members and invitations of one organization, of which any two may come at the same time.

type Label = 'founder' | 'admin' | 'member' | 'invited'
type Members = Record<Label, Person>

/** An organization for one pair of changes. The founder is an admin, too. */
type PairOrganization = Members & {
  id: string
  name: string
  memberIds: Record<'founder' | 'admin' | 'member', string>
  /** A pending invitation, with the token of its mail. */
  invitation: { invitationId: string; token: string }
}

type Send = (organization: PairOrganization) => Promise<Answer>
type Admin = 'founder' | 'admin'
type Present = keyof PairOrganization['memberIds']

const change = (by: Label, path: string, bodyOf: (organization: PairOrganization) => object): Send => {
  return (organization) => organization[by].post(`/api/auth/organization/${path}`, bodyOf(organization))
}
const setRole = (by: Admin, of: Present, role: string) =>
  change(by, 'update-member-role', ({ id, memberIds }) => ({ organizationId: id, memberId: memberIds[of], role }))
const remove = (by: Admin, of: Present) =>
  change(by, 'remove-member', ({ id, memberIds }) => ({ organizationId: id, memberIdOrEmail: memberIds[of] }))
const leave = (by: Present) => change(by, 'leave', ({ id }) => ({ organizationId: id }))
const rename = (by: Admin, name: string) => change(by, 'update', ({ id }) => ({ organizationId: id, data: { name } }))
const inviteAnother = (by: Admin, role: string) =>
  change(by, 'invite-member', ({ id }) => ({ organizationId: id, email: 'another@example.net', role }))
const inviteAgain = (by: Admin, more: object) =>
  change(by, 'invite-member', ({ id, invited }) => ({ organizationId: id, email: invited.email, ...more }))
const cancel = (by: Admin) => change(by, 'cancel-invitation', ({ invitation: { invitationId } }) => ({ invitationId }))
const deleteAccount = (by: Label): Send => {
  return ({ [by]: person }) => person.delete('/api/settings/account', { confirmation: person.email })
}

/** The changes by name. */
const pairedRequests: Readonly<Record<string, Send>> = {
  'the founder makes the member an admin': setRole('founder', 'member', 'admin'),
  'the founder makes the admin a member': setRole('founder', 'admin', 'member'),
  'the founder becomes a member': setRole('founder', 'founder', 'member'),
  'the admin makes the founder a member': setRole('admin', 'founder', 'member'),
  'the admin makes the member an admin': setRole('admin', 'member', 'admin'),
  'the founder removes the member': remove('founder', 'member'),
  'the founder removes the admin': remove('founder', 'admin'),
  'the admin removes the founder': remove('admin', 'founder'),
  'the admin removes the member': remove('admin', 'member'),
  'the founder leaves': leave('founder'),
  'the admin leaves': leave('admin'),
  'the member leaves': leave('member'),
  'the founder cancels the invitation': cancel('founder'),
  'the admin cancels the invitation': cancel('admin'),
  'the invited accepts': change('invited', 'accept-invitation', ({ invitation }) => invitation),
  'the invited rejects': change('invited', 'reject-invitation', ({ invitation }) => invitation),
  'the founder invites again as an admin': inviteAgain('founder', { role: 'admin' }),
  'the admin sends the invitation again': inviteAgain('admin', { role: 'member', resend: true }),
  'the founder copies the link': ({ founder, id, invitation }) =>
    founder.post(`/api/orgs/${id}/invitations/${invitation.invitationId}/link`),
  'the founder invites another as an admin': inviteAnother('founder', 'admin'),
  'the admin invites another': inviteAnother('admin', 'member'),
  'the founder renames': rename('founder', 'By the founder'),
  'the admin renames': rename('admin', 'By the admin'),
  'the founder makes a key': ({ founder, id }) => founder.post(`/api/orgs/${id}/api-key`),
  'the admin rotates the key': ({ admin, id }) => admin.post(`/api/orgs/${id}/api-key/rotate`, { immediate: true }),
  'the founder deletes their account': deleteAccount('founder'),
  'the admin deletes their account': deleteAccount('admin'),
  'the member deletes their account': deleteAccount('member'),
  'the invited deletes their account': deleteAccount('invited'),
}

/** Every two of the changes. */
export const organizationPairs = allPairsOf(Object.keys(pairedRequests))

/** More than any limit of calls looks back. */
const LONG_MS = 24 * 60 * 60 * 1000

/** Starts a control plane in which each pair of changes gets an organization of its own. */
export async function startPairOrganizations() {
  let passedMs = 0
  const monotonic = () => systemClock.monotonic() + passedMs
  const cp = await startControlPlane({ working: true, clock: { ...systemClock, monotonic } })
  const people = new Map<Label, Person>()
  let made = 0

  /** An account by its label; a new one if the last pair has deleted it. */
  const join = async (label: Label): Promise<Person> => {
    const known = people.get(label)
    if (known && (await known.get('/api/settings')).status === 200) return known
    const person = cp.person()
    expectOk(await person.signUp({ email: `${label}${made++}@example.org`, name: label }))
    people.set(label, person)
    return person
  }

  const makeWorld = async (): Promise<PairWorld> => {
    passedMs += LONG_MS
    const members: Members = {
      founder: await join('founder'),
      admin: await join('admin'),
      member: await join('member'),
      invited: await join('invited'),
    }
    const organization = await makeOrganization(cp, members, `Acme ${made++}`)
    return {
      send: async (name) => resultOf(await pairedRequests[name]!(organization)),
      state: () => stateOf(cp, organization),
      end: async () => {
        for (const person of [members.founder, members.admin, members.member]) {
          const { body } = await person.get('/api/settings')
          const mine = body?.organizations?.find(({ id }: { id: string }) => id === organization.id)
          if (mine?.role !== 'admin') continue
          return expectOk(await person.delete(`/api/orgs/${organization.id}`, { name: mine.name }))
        }
      },
    }
  }
  return { makeWorld, stop: () => cp.stop() }
}

const expectOk = ({ status, text }: Answer): void => {
  if (status >= 300) throw new Error(text)
}

/** A refusal has several reasons when two changes meet. Which one is told depends on the order, as in turn. */
const resultOf = ({ status, body }: Answer): string => {
  if (status < 300) return 'done'
  return status < 500 && status !== 429 ? 'refused' : `${status} ${body?.error?.code}`
}

async function makeOrganization(cp: TestControlPlane, members: Members, name: string): Promise<PairOrganization> {
  const { founder, admin, member, invited } = members
  const created = await founder.post('/api/provisioning/orgs/self-hosted', { name })
  expectOk(created)
  const { id } = created.body.organization as { id: string }
  const invite = async ({ email }: Person, role: string) => {
    const sent = await founder.post('/api/auth/organization/invite-member', { organizationId: id, email, role })
    expectOk(sent)
    let link = ''
    const hasCome = async () => (link = (await cp.mailTo(email, 'invitation')).link).includes(sent.body.id)
    await until(`the invitation is mailed to ${email}`, hasCome)
    return { invitationId: sent.body.id as string, token: mailedToken({ link }) }
  }
  for (const [person, role] of [
    [admin, 'admin'],
    [member, 'member'],
  ] as const)
    expectOk(await person.post('/api/auth/organization/accept-invitation', await invite(person, role)))
  const rows = await cp.db.selectFrom('member').select(['id', 'userId']).where('organizationId', '=', id).execute()
  const idOf = (person: Person) => rows.find(({ userId }) => userId === person.id)!.id
  const memberIds = { founder: idOf(founder), admin: idOf(admin), member: idOf(member) }
  return { ...members, id, name, memberIds, invitation: await invite(invited, 'member') }
}

/** Members, invitations, keys and the audit of the organization, and which of its people have an account. */
async function stateOf({ db }: TestControlPlane, organization: PairOrganization): Promise<string> {
  const { id, invitation } = organization
  const people = (['founder', 'admin', 'member', 'invited'] as const).map((label) => ({
    label,
    ...organization[label],
  }))
  const labels = new Map(people.flatMap(({ label, id: userId, email }) => [[userId, label] as const, [email, label]]))
  const labelOf = (text: string | undefined) => labels.get(text ?? '') ?? text

  const inOrganization = { organizationId: id }
  const { name } = await db.selectFrom('organization').select('name').where('id', '=', id).executeTakeFirstOrThrow()
  const members = await db
    .selectFrom('member')
    .selectAll()
    .where((row) => row.and(inOrganization))
    .execute()
  const invitations = await db
    .selectFrom('invitation')
    .selectAll()
    .where((row) => row.and(inOrganization))
    .execute()
  const keys = await db
    .selectFrom('daemon_keys')
    .innerJoin('daemons', 'daemons.id', 'daemon_keys.daemon_id')
    .select(['revoked_at', 'expires_at'])
    .where('org_id', '=', id)
    .execute()
  const ids = people.map((person) => person.id)
  const accounts = await db.selectFrom('user').select('id').where('id', 'in', ids).execute()
  const entries = await db.selectFrom('audit_entries').select('record').where('chain', 'like', `%${id}`).execute()
  const records = entries.map(({ record }) => JSON.parse(record))
  return [
    `called ${name === organization.name ? 'as before' : name}`,
    ...members.map(({ userId, role }) => `member ${labelOf(userId)}: ${role}`),
    ...invitations.map((one) => {
      const which = one.id === invitation.invitationId ? 'invitation' : 'another invitation'
      return `${which} of ${labelOf(one.email)}: ${one.role}, ${one.status}`
    }),
    ...keys.map(({ revoked_at, expires_at }) => `key: ${revoked_at ? 'revoked' : expires_at ? 'ends' : 'stays'}`),
    ...accounts.map((account) => `account of ${labelOf(account.id)}`),
    ...records.map(({ event, actor, outcome }) => `audit: ${labelOf(actor?.id)} ${event} ${outcome}`),
  ]
    .toSorted()
    .join('\n')
}
