import fc from 'fast-check'
import { expect } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { ErrorBody } from '@svc/shared/wire/error-body.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { mintSetupLink } from '../../control-plane/src/setup/setup-link.ts'
import { setupRepository } from '../../control-plane/src/setup/setup.repository.ts'
import { requestsOf, type DocumentedOperation, type GeneratedRequest } from './arbitrary-requests.ts'
import { startControlPlane, type TestControlPlane } from './control-plane.ts'
import { hurriedClock } from './hurried-clock.ts'
import { mailedToken } from './mailbox.ts'
import type { Answer, Person } from './person.ts'

/** Routes that wait up to 25 s wait 1 s here. */
const FASTER = 25
const AT_ONCE = 8
/** A slow request is sent again this often before it counts: what is slow by itself is slow each time. */
const REPEATS_OF_SLOW = 3
const RESTORE_EVERY = 200
const TOKEN = 'image-token-of-the-tests-0123456789abcdef'

type Place = { userId: string; orgId: string; role: 'admin' | 'member' }
type Finding = { what: string; route: string; request: GeneratedRequest; caller: string; answer: string }
type World = {
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

/** The result of a run. Findings are bugs; none are expected. */
export type GeneratedRun = {
  sent: number
  statuses: Record<string, number>
  findings: Finding[]
  succeeded: string[]
  /** How long each request took, with all that ran beside it. */
  times: number[]
}

type Plan = { requests: number; seed: number; slowestMs: number }

/** Sends requests generated from the OpenAPI document, by callers of every role, and checks every response. */
export async function sendGeneratedRequests({ requests, seed, slowestMs }: Plan): Promise<GeneratedRun> {
  const world = await makeWorld()
  const run: GeneratedRun = { sent: 0, statuses: {}, findings: [], succeeded: [], times: [] }
  const succeeded = new Set<string>()
  try {
    const each = Math.ceil(requests / world.operations.length)
    const plan = world.operations
      .flatMap((operation, index) =>
        fc
          .sample(
            fc.tuple(fc.constantFrom(...Object.keys(world.callers), 'bearer'), requestsOf(operation, world.words)),
            {
              numRuns: each,
              seed: seed + index,
            },
          )
          .map(([caller, request], turn) => ({ caller, request, operation, turn })),
      )
      .toSorted((a, b) => a.turn - b.turn)
      .slice(0, requests)
    for (let from = 0; from < plan.length; from += AT_ONCE) {
      if (from % RESTORE_EVERY < AT_ONCE) await restore(world)
      const slow: Sent[] = []
      await Promise.all(
        plan.slice(from, from + AT_ONCE).map(async ({ caller, request, operation }) => {
          const route = `${operation.method} ${operation.path}`
          const { answer, tookMs } = await judge(world, { caller, request, route, findings: run.findings })
          run.sent += 1
          run.times.push(tookMs)
          run.statuses[answer.status] = (run.statuses[answer.status] ?? 0) + 1
          if (answer.status < 300) succeeded.add(route)
          if (tookMs > slowestMs) slow.push({ caller, request, route })
        }),
      )
      // Requests run beside others, and the machine may be busy: what was slow is sent again alone.
      for (const sent of slow) await repeatSlow(world, { ...sent, findings: run.findings, slowestMs })
    }
    return { ...run, succeeded: [...succeeded].toSorted() }
  } finally {
    await world.cp.stop()
  }
}

const failed = ({ message }: Error): Answer => ({ status: 0, headers: {}, body: undefined, text: message })

type Sent = { caller: string; request: GeneratedRequest; route: string }
type Judged = Sent & { findings: Finding[] }

async function timed(
  world: World,
  { caller, request }: Pick<Sent, 'caller' | 'request'>,
): Promise<{ answer: Answer; tookMs: number }> {
  const began = performance.now()
  const answer = await send(world, caller, request).catch((error: Error) => failed(error))
  return { answer, tookMs: performance.now() - began }
}

async function repeatSlow(world: World, { slowestMs, findings, ...sent }: Judged & { slowestMs: number }) {
  const times: number[] = []
  while (times.length < REPEATS_OF_SLOW) times.push((await timed(world, sent)).tookMs)
  if (Math.min(...times) > slowestMs)
    findings.push({ ...sent, what: 'slow each time', answer: times.map((ms) => `${ms.toFixed(0)} ms`).join(', ') })
}

async function judge(world: World, { caller, request, route, findings }: Judged) {
  const { answer, tookMs } = await timed(world, { caller, request })
  const find = (what: string) => findings.push({ what, route, request, caller, answer: answer.text.slice(0, 500) })
  if (answer.status === 0) find('no answer')
  if (answer.status >= 500 && !ErrorBody.safeParse(answer.body).success)
    find(`status ${answer.status} without our failure`)
  if (answer.status === 500 || answer.body?.error?.code === 'internal') find('an unexpected failure')
  const sent = `${decodeURIComponent(request.path)} ${request.body ?? ''}`
  const leaked =
    caller === 'systemAdmin'
      ? []
      : world.secrets.filter((secret) => answer.text.includes(secret) && !sent.includes(secret))
  if (leaked.length > 0) find(`leaks ${leaked.join(', ')}`)
  return { answer, tookMs }
}

function send(
  { cp, callers }: World,
  caller: string,
  { method, path, contentType, body }: GeneratedRequest,
): Promise<Answer> {
  const type: Record<string, string> = contentType === undefined ? {} : { 'content-type': contentType }
  if (caller === 'bearer') return cp.raw(method, path, { headers: { ...type, authorization: `Bearer ${TOKEN}` }, body })
  const cookie = [...(callers[caller]?.cookies ?? [])].map(([name, value]) => `${name}=${value}`).join('; ')
  return cp.raw(method, path, { headers: { ...type, origin: cp.origin, ...(cookie === '' ? {} : { cookie }) }, body })
}

async function makeWorld(): Promise<World> {
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
  const link = await mintSetupLink({ setup: setupRepository(cp.db, systemClock), operatorOrg, baseUrl: cp.origin })
  await systemAdmin.post('/api/setup/claim', { token: new URL(link ?? '').hash.slice(1) })
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
async function restore({ cp, callers, places, passwords }: World): Promise<void> {
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

/** Fails with every finding of a run: a line per route and kind, and one request that shows it. */
export function expectNoFindings({ findings }: GeneratedRun): void {
  const groups = Map.groupBy(findings, ({ route, what }) => `${route}: ${what}`)
  const report = [...groups].map(([group, of]) => {
    const { caller, request, answer } = of[0]!
    return {
      finding: `${of.length} × ${group}`,
      callers: [...new Set(of.map((one) => one.caller))],
      request,
      answer,
      caller,
    }
  })
  expect(report).toEqual([])
}
