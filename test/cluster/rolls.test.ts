import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { settled, untilDecided, type Hosted } from '../support/cluster.ts'
import { helmPlatform, type HelmPlatform } from '../support/helm-platform.ts'
import { startImageRegistry, type ImageRegistry } from '../support/image-registry.ts'
import type { Person } from '../support/person.ts'

type Member = { person: Person; org: Hosted; text: string }

const { host, images } = inject('cluster')
const repository = images.first.split('@')[0]!
const note = '/api/vaults/demo-vault/notes/Kept.md'
const START_DEADLINE_SECONDS = 40
// Six daemons and the platform have to fit on a node of two processors.
const DAEMON_CPU = '200m'

let registry: ImageRegistry
let platform: HelmPlatform
const members: Member[] = []

beforeAll(async () => {
  registry = await startImageRegistry({ listen: host })
  platform = await helmPlatform({
    operator: { startDeadlineSeconds: START_DEADLINE_SECONDS },
    daemons: { cpu: DAEMON_CPU, registry: { url: registry.origin } },
  })
  const join = async (title: string): Promise<Member> => {
    const { person, org } = await platform.cluster.hosted(title)
    const browser = await platform.cluster.enter(person, org)
    const text = `Kept by ${title}.\n`
    const saved = await browser.send('PUT', note, { body: { content: text }, headers: { 'if-none-match': '*' } })
    expect(saved.status, saved.text).toBe(201)
    return { person, org, text }
  }
  members.push(...(await Promise.all(['Amber', 'Birch', 'Cedar', 'Dune', 'Elder', 'Fern'].map(join))))
}, 600_000)
afterAll(async () => {
  await platform?.remove()
  await registry?.stop()
}, 300_000)

const daemonOf = async ({ org }: Member) => (await platform.cluster.store.find(org.name))!

const rollByApi = ({ org }: Member, image: string, operationId: string) =>
  untilDecided(() =>
    platform.cluster.admin().post(`/api/admin/managed-daemons/${org.id}/image`, {
      image,
      confirmation: org.id,
      operationId,
      reason: 'the journey of rolls',
    }),
  )
const rollByCommand = ({ org }: Member, image: string) =>
  platform.svcAdmin('image', 'roll', '--org', org.id, '--confirm', org.id, '--image', image, '--wait', '120')

/** Waits until the daemon serves the previous image on its volume again, without help, with its note. */
async function servesAsBefore(member: Member, image = images.first): Promise<void> {
  const { cluster } = platform
  const { status } = await cluster.reaches(
    member.org.name,
    'serving as before',
    ({ status }) => status.observedState === 'running',
  )
  expect(status).toMatchObject({ image, lastGoodImage: image })
  expect((await cluster.pod(member.org)).spec.containers[0]?.image).toBe(image)
  await keeps(member)
}

async function keeps({ person, org, text }: Member): Promise<void> {
  const browser = await platform.cluster.enter(person, org)
  expect((await browser.get(note)).body.note.content).toBe(text)
}

test('a roll to the next version, by svc-admin, is done when it runs', { timeout: 180_000 }, async () => {
  verifies('admin.cli')
  const member = members[5]!
  const { org } = member
  const rolled = await rollByCommand(member, images.next)
  expect(rolled, rolled.stderr).toMatchObject({ code: 0, body: { ok: true, observedState: 'running' } })
  await platform.cluster.reaches(org.name, 'settled', settled)
  await servesAsBefore(member, images.next)
})

test('a tag that was never pushed is refused with a reason, and nothing is touched', async () => {
  const member = members[0]!
  const before = await daemonOf(member)
  const { metadata } = await platform.cluster.pod(member.org)
  const byApi = await rollByApi(member, `${repository}:never-pushed`, 'journey-no-such-tag')
  const notFound = { error: { code: 'operation_failed', details: { cause: 'image_not_found' } } }
  expect(byApi, byApi.text).toMatchObject({ status: 422, body: notFound })
  const byCommand = await rollByCommand(member, `${repository}:never-pushed`)
  expect(byCommand, byCommand.stderr).toMatchObject({ code: 1, body: { ok: false, ...notFound } })

  const after = await daemonOf(member)
  expect([after.generation, after.spec.image]).toEqual([before.generation, before.spec.image])
  expect((await platform.cluster.pod(member.org)).metadata.uid).toBe(metadata.uid)
})

test(
  'an image that no node can pull, one that is never ready and one that crashes roll back by themselves and say why',
  { timeout: 400_000 },
  async () => {
    verifies('operator.bad-image')
    const [unpulled, deaf, crashing] = members as [Member, Member, Member]
    await registry.push({ repository: repository.split('/').slice(1).join('/'), tag: 'unpulled', content: 'nothing' })

    const [pull, ready, crash] = await Promise.all([
      rollByApi(unpulled, `${repository}:unpulled`, 'journey-unpulled'),
      rollByApi(deaf, images.deaf, 'journey-never-ready'),
      rollByCommand(crashing, images.bad),
    ])
    const failed = (reason: string) => ({ error: { code: 'operation_failed', details: { reason } } })
    expect(pull, pull.text).toMatchObject({ status: 422, body: failed('ImageNotPulled') })
    expect(ready, ready.text).toMatchObject({ status: 422, body: failed('MachineNotReady') })
    expect(crash, crash.stderr).toMatchObject({ code: 1, body: failed('Crashed') })
    for (const member of [unpulled, deaf, crashing]) await servesAsBefore(member)

    // If the same operation is requested again, its recorded outcome is returned and nothing is tried a second time.
    const generation = (await daemonOf(deaf)).generation
    const again = await rollByApi(deaf, images.deaf, 'journey-never-ready')
    expect(again).toMatchObject({ status: 422, body: failed('MachineNotReady') })
    expect((await daemonOf(deaf)).generation).toBe(generation)
  },
)

test(
  'a rollout over six organizations goes on past one that refuses, which serves as before',
  { timeout: 600_000 },
  async () => {
    verifies('cluster.rolls')
    const { cluster, svcAdmin } = platform
    const bad = members[3]!
    await cluster.evaluate(
      `import { writeFileSync } from 'node:fs'; writeFileSync(process.env.SVC_HOME + '/.refuse-picky', ''); console.log(1)`,
      bad.org,
    )
    const settings = ['--canary-orgs', members[4]!.org.id, '--shares', '50,100', '--soak', '0', '--concurrency', '3']
    const image = ['--image', images.picky, '--confirm', images.picky]
    const started = await svcAdmin('rollout', 'start', ...image, '--reason', 'the journey', ...settings, '--watch')
    expect(started.code, started.stderr).toBe(0)
    const { rollout } = started.body
    expect(rollout).toMatchObject({ state: 'succeeded', counts: { total: 6, succeeded: 5, failed: 1, rolling: 0 } })
    expect(rollout.problems).toMatchObject([{ orgId: bad.org.id, state: 'failed', reason: 'Crashed' }])

    for (const member of members) await servesAsBefore(member, member === bad ? images.first : images.picky)
  },
)
