import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import { verifies } from '../requirements.ts'
import { findHalfWritten, findLost, startWriting, type Writing } from '../support/acknowledged-writes.ts'
import { settled, untilDecided, type Hosted } from '../support/cluster.ts'
import { helmPlatform, type HelmPlatform } from '../support/helm-platform.ts'
import type { Person } from '../support/person.ts'
import { until } from '../support/until.ts'

const MEBIBYTE = 2 ** 20
const CEILING = 128

let platform: HelmPlatform
let org: Hosted
let browser: Person
let writing: Writing
let uid: string | undefined

beforeAll(async () => {
  platform = await helmPlatform({
    daemons: { storage: { size: '64Mi', maxSize: `${CEILING}Mi`, growAbovePercent: 80 } },
  })
  const hosted = await platform.cluster.hosted('Filling')
  org = hosted.org
  browser = await platform.cluster.enter(hosted.person, org)
  uid = (await platform.cluster.pod(org)).metadata.uid
}, 600_000)
afterAll(async () => {
  await writing?.stop()
  await platform?.remove()
}, 300_000)

const hasCapacity = (mebibytes: number) => (daemon: ManagedDaemon) =>
  daemon.status.storage?.capacityBytes === mebibytes * MEBIBYTE
const writesOn = async (what: string) => {
  const before = writing.acknowledged.size
  await until(what, () => writing.acknowledged.size >= before + 10, { withinMs: 120_000, everyMs: 200 })
}
const isFull = async (what: string) => {
  const before = writing.refused.length
  await until(what, () => writing.refused.length >= before + 10, { withinMs: 180_000, everyMs: 200 })
}

test(
  'under writes a volume fills, grows by itself and is written to again, up to its ceiling',
  { timeout: 900_000 },
  async () => {
    verifies('cluster.full-volume')
    const { cluster } = platform
    writing = startWriting({ browser, writers: 3, bytes: MEBIBYTE, pauseMs: 50 })
    await isFull('the volume is full before anybody looks at it')
    await cluster.reaches(
      org.name,
      'grown by itself',
      ({ spec, status }) => {
        const capacity = status.storage?.capacityBytes ?? 0
        return capacity > 64 * MEBIBYTE && spec.storage.size === '64Mi'
      },
      180_000,
    )
    await writesOn('writes go on after the growth')
    await cluster.reaches(org.name, 'grown to its ceiling', hasCapacity(CEILING), 240_000)
    await isFull('the volume is full at its ceiling')
  },
)

test(
  'an admin grows it beyond its ceiling, writes go on, and nothing was restarted',
  { timeout: 600_000 },
  async () => {
    const { cluster } = platform
    const grown = await untilDecided(() =>
      cluster.admin().post(`/api/admin/managed-daemons/${org.id}/storage/grow`, {
        operationId: 'journey-grow',
        reason: 'the journey of a full volume',
        confirmation: org.slug,
        size: '256Mi',
      }),
    )
    expect(grown.body, grown.text).toMatchObject({ ok: true, size: '256Mi' })
    await cluster.reaches(org.name, 'grown', (daemon) => settled(daemon) && hasCapacity(256)(daemon))
    await writesOn('writes go on')
    await writing.stop()

    expect(writing.other).toEqual([])
    expect(await findLost(browser, writing)).toEqual([])
    expect(await findHalfWritten(browser, writing)).toEqual([])
    const pod = await cluster.pod(org)
    expect([pod.metadata.uid, pod.status.containerStatuses[0]?.restartCount]).toEqual([uid, 0])
    console.log(`${writing.acknowledged.size} writes kept, ${writing.refused.length} refused`)
  },
)
