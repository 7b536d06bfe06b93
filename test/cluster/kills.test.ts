import { randomInt, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import { verifies } from '../requirements.ts'
import { settled } from '../support/cluster.ts'
import { helmPlatform, type HelmPlatform } from '../support/helm-platform.ts'
import { drawTargets, killEach, killTargets, seededRandom, type Kill } from '../support/node-kills.ts'
import { findDifferences, startWork, type Member, type OrganizationWork } from '../support/node-work.ts'
import { until } from '../support/until.ts'

const KILLS = Number(process.env.SVC_CLUSTER_KILLS ?? 63)
const SEED = Number(process.env.SVC_CLUSTER_SEED ?? randomInt(2 ** 31))
const MINUTE = 60_000
/**
 * How long work may be blocked by a claim whose executor died before its effect: the claim can be recovered only after
 * ten minutes.
 */
const CLAIM_MS = 12 * MINUTE

let platform: HelmPlatform
let work: ReturnType<typeof startWork>
let kills: Kill[]
const keysBefore = new Map<string, number>()

beforeAll(async () => {
  console.log(`SVC_CLUSTER_SEED=${SEED} SVC_CLUSTER_KILLS=${KILLS}`)
  platform = await helmPlatform({ worker: { replicas: 2 }, daemons: { cpu: '200m' } })
  const { cluster, images, admin } = platform
  const titles = ['Anvil', 'Bellows', 'Crucible', 'Drill', 'Etching', 'Furnace']
  const members: Member[] = await Promise.all(titles.map((title) => cluster.hosted(title)))
  for (const { org } of members) keysBefore.set(org.id, (await cluster.store.find(org.name))!.spec.relay.keyGeneration)
  const random = seededRandom(SEED + 1)
  const run = randomUUID().slice(0, 8)
  work = startWork(members, { cluster, admin, images: [images.first, images.next], random, run })
}, 600_000)
afterAll(() => platform?.remove(), 300_000)

/** What an admin does with claims of executors that died before their effect, as docs/OPERATIONS.md says. */
async function recoverClaims(): Promise<number> {
  const admin = platform.admin
  await admin.signIn()
  const { body } = await admin.get('/api/admin/mutation-claims')
  let recovered = 0
  for (const { orgId, action, owner, expired, executorAlive } of body?.claims ?? []) {
    if (!expired || executorAlive) continue
    const { slug } = work.works.find(({ member }) => member.org.id === orgId)!.member.org
    const recovery = { action, expectedOwner: owner, confirmation: slug, executorStopped: true }
    const answer = await admin.post(`/api/admin/orgs/${orgId}/mutation-claim/recover`, recovery)
    if (answer.status === 200) recovered += 1
  }
  return recovered
}

test(
  'parts of the platform and of the node are killed at random while organizations write, roll, rotate and grow',
  { timeout: 3_600_000 },
  async () => {
    verifies('cluster.kills')
    const state = process.env.SVC_KUBERNETES_STATE ?? ''
    const targets = drawTargets(KILLS, seededRandom(SEED))
    kills = await killEach(targets, { platform, state, random: seededRandom(SEED + 2), inFlight: work.inFlight })
    for (const target of killTargets)
      expect(kills.filter((kill) => kill.target === target).length, target).toBeGreaterThanOrEqual(
        Math.floor(KILLS / killTargets.length),
      )
    expect(kills.filter(({ inFlight }) => inFlight > 0).length).toBeGreaterThanOrEqual(Math.ceil(KILLS / 3))
  },
)

test('every started operation is decided once, as requested', { timeout: 1_800_000 }, async () => {
  let recovered = 0
  const stopped = work.stop()
  let isStopped = false
  void stopped.then(() => (isStopped = true))
  await until(
    'every operation is decided',
    async () => {
      if (!isStopped) recovered += await recoverClaims().catch(() => 0)
      return isStopped
    },
    { withinMs: CLAIM_MS, everyMs: 5_000 },
  )
  const done = work.works.reduce((sum, { succeeded }) => sum + succeeded.length, 0)
  console.log(`${done} operations succeeded, ${recovered} of them after a recovered claim`)
  expect(work.works.flatMap(({ broken }) => broken)).toEqual([])
  expect(work.works.flatMap(({ failed }) => failed)).toEqual([])
  for (const each of work.works) expect(each.succeeded.length, each.member.org.title).toBeGreaterThan(0)
})

const asWanted =
  ({ image, sizeMebibytes }: OrganizationWork) =>
  (daemon: ManagedDaemon) =>
    settled(daemon) &&
    daemon.status.image === image &&
    (sizeMebibytes === 64 || daemon.status.storage?.capacityBytes === sizeMebibytes * 2 ** 20)

test(
  'every daemon is as it was last asked for, with one key for each roll and rotation',
  { timeout: 600_000 },
  async () => {
    const { cluster, admin } = platform
    for (const each of work.works) {
      const { org } = each.member
      const { spec } = await cluster.reaches(org.name, `${org.title} is as wanted`, asWanted(each), 5 * MINUTE)
      expect(spec.relay.keyGeneration - keysBefore.get(org.id)!, org.title).toBe(each.keys)

      const ends = new Map<string, number>()
      let cursor: string | undefined
      do {
        const query = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`
        const { body } = await admin.get(`/api/admin/managed-daemons/${org.id}/events?limit=200${query}`)
        for (const { kind, operationId } of body.events as { kind: string; operationId?: string }[])
          if (operationId !== undefined)
            ends.set(`${kind} ${operationId}`, (ends.get(`${kind} ${operationId}`) ?? 0) + 1)
        cursor = body.nextCursor
      } while (cursor !== undefined)
      expect([...ends].filter(([, times]) => times > 1)).toEqual([])
    }
  },
)

test('every acknowledged line is there once, and the audit is complete', { timeout: 600_000 }, async () => {
  for (const each of work.works) {
    expect(await findDifferences(platform.cluster, each), each.member.org.title).toEqual([])
    expect(each.lines.length).toBeGreaterThan(10)
  }
  const verified = await platform.svcAdmin('audit', 'verify')
  expect(verified.code, JSON.stringify(verified.body)).toBe(0)
})
