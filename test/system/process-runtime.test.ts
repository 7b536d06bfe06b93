import { execFileSync } from 'node:child_process'
import { appendFile, chmod, mkdtemp, readdir, readFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLog } from '@svc/shared/kit/log.ts'
import { systemClock, type Clock } from '@svc/shared/kit/clock.ts'
import { findCondition, type ManagedDaemon, type ManagedDaemonSpec } from '@svc/shared/wire/managed-daemon.ts'
import type { ManagedDaemonStore, SpecPatch } from '@svc/shared/wire/managed-daemon-store.ts'
import { openDatabase } from '../../control-plane/src/db/database.ts'
import { createManagedDaemonTable } from '../../embedded/managed-daemon-table.ts'
import { createReconciler, type Reconciler } from '../../operator/src/reconciler/reconciler.ts'
import { KILL_AFTER_MS } from '../../operator/src/runtime/processes/daemon-process.ts'
import { processRuntime } from '../../operator/src/runtime/processes/processes.ts'
import { verifies } from '../requirements.ts'
import { changeSpec } from '../support/change-spec.ts'
import { importProgram, programs } from '../support/local-programs.ts'
import { someSpec } from '../support/managed-daemon-specs.ts'
import { createEmptyDatabase, type TestDatabase } from '../support/postgres.ts'
import { PATIENCE_MS, until } from '../support/until.ts'
import { removeFolder } from '../support/remove-folder.ts'

const limits = { startDeadlineMs: 60_000, pollMs: 40, steadyMs: 200 }

let folder: string
let database: TestDatabase
let connection: ReturnType<typeof openDatabase>
let store: ManagedDaemonStore
let runtime: ReturnType<typeof processRuntime>
let reconciler: Reconciler
let logged: string[]

// Long enough for a child process on a busy machine. Tests of a disobedient child use a shorter time.
const FLUSH_MS = 30_000

// A child that is ready for this long counts as good. Tests of a child that crashes use a longer time.
const SOAK_MS = 150

type Settings = { flushMs?: number; soakMs?: number; clock?: Clock }

const start = ({ flushMs = FLUSH_MS, soakMs = SOAK_MS, clock = systemClock }: Settings = {}) => {
  const log = createLog({ service: 'test', level: 'info', destination: { write: (line) => void logged.push(line) } })
  const common = { clock: systemClock, log, random: Math.random }
  runtime = processRuntime({
    ...common,
    clock,
    dataDir: join(folder, 'daemons'),
    imagesDir: join(folder, 'images'),
    limits: { flushMs, answerMs: 10_000, steadyMs: soakMs, restart: { baseMs: 20, capMs: 100 } },
  })
  reconciler = createReconciler({ ...common, store, runtime, limits: { ...limits, soakMs } })
  reconciler.start()
}
const stop = async () => {
  await reconciler.stop()
  await runtime.stop()
}

beforeEach(async () => {
  logged = []
  folder = await mkdtemp(join(tmpdir(), 'svc-processes-'))
  database = await createEmptyDatabase()
  const log = createLog({ service: 'test', level: 'silent' })
  connection = openDatabase({ url: database.url, log })
  store = await createManagedDaemonTable({ pool: connection.pool, clock: systemClock, log })
  start()
})
afterEach(async () => {
  await stop()
  await connection.close()
  await database.drop()
  await removeFolder(folder)
})

const image = (program: keyof typeof programs) => importProgram(folder, join(folder, 'images'), programs[program])
const read = async (name: string) => (await store.find(name))!
const patch = (name: string, changes: SpecPatch) => changeSpec(store, name, changes)
const reaches = async (name: string, what: string, holds: (daemon: ManagedDaemon) => boolean) => {
  // A program that exits at once is started several times, and each start takes seconds on a busy machine.
  await until(what, async () => holds(await read(name)), { withinMs: 3 * PATIENCE_MS })
  return read(name)
}
const told = async (name: string) =>
  (await readFile(join(folder, 'daemons', name, 'home/told'), 'utf8'))
    .split('\n')
    .map((line) => line.split(' ')[0])
    .filter(Boolean)

/** Creates a resource and does the control plane's part of accepting the first key. */
async function provision(changes: Partial<ManagedDaemonSpec>): Promise<ManagedDaemon> {
  const { name } = await store.create(someSpec(changes))
  await reaches(name, 'the hash of the first key', ({ status }) => status.relay?.keys.length === 1)
  await patch(name, { relay: { acceptedGeneration: 1 } })
  return read(name)
}
const running = ({ status }: ManagedDaemon) => status.observedState === 'running'
const settled = (daemon: ManagedDaemon) =>
  running(daemon) && findCondition(daemon.status, 'Progressing')?.status === 'False'

describe('managed daemons as child processes', () => {
  it('provisions, sleeps, wakes, grows and goes, with its volume kept', async () => {
    verifies('operator.sleep-flushes', 'operator.key-order')
    const { name } = await provision({ image: await image('well') })
    const first = await reaches(name, 'running', settled)
    expect(first.status).toMatchObject({ lastGoodImage: first.spec.image, version: '1.0.0' })

    await patch(name, { desiredState: 'sleeping' })
    await reaches(name, 'sleeping', ({ status }) => status.observedState === 'sleeping')
    expect(await told(name)).toEqual(['start', 'flush', 'stop'])

    await patch(name, { storage: { size: '128Mi' } })
    await reaches(name, 'the new size', ({ status }) => status.storage?.capacityBytes === 128 * 2 ** 20)
    await patch(name, { desiredState: 'running' })
    await reaches(name, 'awake', running)

    await store.remove(name)
    await until('the resource is gone', async () => (await store.find(name)) === undefined)
    expect((await readdir(join(folder, 'daemons', name))).sort()).toEqual(['home', 'volume.json'])
  })

  it('removes the volume with the resource where the policy says so', async () => {
    verifies('operator.volume-policy')
    const { name } = await provision({ image: await image('well'), deletionPolicy: 'delete' })
    await reaches(name, 'running', running)
    await store.remove(name)
    await until('the resource is gone', async () => (await store.find(name)) === undefined)
    expect(await readdir(join(folder, 'daemons'))).toEqual([])
  })

  it('gives a daemon an environment of its own, a closed Secret and nothing of ours', async () => {
    verifies('security.child-environment')
    const { name, spec } = await provision({ image: await image('well') })
    await reaches(name, 'running', running)
    const home = join(folder, 'daemons', name, 'home')
    const [line = ''] = (await readFile(join(home, 'told'), 'utf8')).split('\n')
    const environment = JSON.parse(line.slice('start '.length)) as Record<string, string>
    const ours = Object.keys(environment).filter((name) => !name.startsWith('NODE_CHANNEL_'))
    expect(ours.sort()).toEqual(['SVC_HOME', 'SVC_LISTEN', 'SVC_RELAY_TOKEN_FILE', 'SVC_RELAY_URL'])
    expect(environment).toMatchObject({ SVC_LISTEN: 'tunnel-only', SVC_RELAY_URL: spec.relay.url, SVC_HOME: home })

    const secret = environment.SVC_RELAY_TOKEN_FILE!
    expect(await readFile(join(secret, 'token'), 'utf8')).toMatch(/^svc_dmn_[0-9A-Za-z]{43}$/)
    expect((await stat(secret)).mode & 0o777).toBe(0o700)
    expect((await stat(join(secret, 'token'))).mode & 0o777).toBe(0o600)
  })

  it('writes nothing once a daemon is as desired', async () => {
    verifies('operator.idempotent')
    const { name } = await provision({ image: await image('well') })
    await reaches(
      name,
      'settled',
      (daemon) => running(daemon) && findCondition(daemon.status, 'Progressing')?.status === 'False',
    )
    // Late facts, such as the size of the volume, may be written after the daemon has settled.
    await until('ten passes that write nothing', async () => {
      const { resourceVersion } = await read(name)
      const { reconciles } = reconciler.metrics()
      await until('ten more passes', () => reconciler.metrics().reconciles >= reconciles + 10)
      return (await read(name)).resourceVersion === resourceVersion
    })
  })

  it('rotates the relay key without restarting the daemon', async () => {
    const { name } = await provision({ image: await image('well') })
    const before = await reaches(name, 'running', running)
    await patch(name, { relay: { keyGeneration: 2 } })
    const both = await reaches(name, 'both keys', ({ status }) => status.relay?.keys.length === 2)
    expect(both.status.relay?.keys[0]).toEqual(before.status.relay?.keys[0])
    expect(await readFile(join(folder, 'daemons', name, 'secret/generation'), 'utf8')).toBe('1')

    await patch(name, { relay: { acceptedGeneration: 2 } })
    const rotated = await reaches(name, 'the new key alone', ({ status }) => status.relay?.keys[0]?.generation === 2)
    expect(rotated.status.relay?.keys).toEqual(both.status.relay?.keys.slice(1))
    expect(await told(name)).toEqual(['start'])
  })

  it('rolls back from an image that crashes, and does not try it again', async () => {
    verifies('operator.bad-image')
    // On a busy machine, the end of a child is noticed long after it.
    const soakMs = 5_000
    await stop()
    start({ soakMs })
    const good = await image('well')
    const { name } = await provision({ image: good })
    await reaches(name, 'running', running)

    const operation = { id: 'roll-0001', action: 'image_roll', epoch: 1 } as const
    await patch(name, { image: await image('crashing'), operation })
    const failed = await reaches(name, 'the failure', ({ status }) => status.operation?.outcome === 'failed')
    expect(failed.status.operation).toMatchObject({ id: operation.id, outcome: 'failed', reason: 'Crashed' })
    await reaches(name, 'the old image serves', (daemon) => running(daemon) && daemon.status.image === good)

    const before = (await told(name)).length
    await stop()
    start({ soakMs })
    await until('a start after the restart of the operator', async () => (await told(name)).length > before + 1)
    await reaches(name, 'running', settled)
    expect((await told(name)).slice(before)).toEqual(['stop', 'start'])
    expect((await read(name)).status.image).toBe(good)
  })

  it('refuses an invalid image without touching the daemon', async () => {
    const { name } = await provision({ image: await image('well') })
    await reaches(name, 'running', running)
    const bad = [
      '/bin/sh',
      'local/svcd:latest',
      'docker.io/svcd@sha256:' + 'a'.repeat(64),
      'local/svcd@sha256:' + 'a'.repeat(64),
    ]
    for (const [index, image] of bad.entries()) {
      const operation = { id: `roll-bad-${index}`, action: 'image_roll', epoch: index } as const
      await patch(name, { image, operation })
      const { status } = await reaches(
        name,
        `${image} refused`,
        ({ status }) => status.operation?.id === operation.id && status.operation.outcome === 'failed',
      )
      expect(status.operation?.reason).toMatch(/^ImageNot(Allowed|Found)$/)
      expect(status.observedState).toBe('running')
    }
    expect(await told(name)).toEqual(['start'])
  })

  it('does not run an image that was changed after its import', async () => {
    const reference = await image('well')
    const main = join(folder, 'images', reference.slice(-64), 'svcd.mjs')
    await chmod(main, 0o644)
    await appendFile(main, '\n// changed\n')
    const { name } = await provision({ image: reference })
    const { status } = await reaches(name, 'refused', ({ status }) => status.observedState === 'failed')
    expect(findCondition(status, 'ImageResolved')).toMatchObject({ status: 'False', reason: 'ImageNotAllowed' })
  })

  it('restarts a daemon that ends by itself, and reports it', async () => {
    const { name } = await provision({ image: await image('well') })
    await reaches(name, 'running', running)
    const pid = execFileSync('pgrep', ['-f', join(folder, 'images')], { encoding: 'utf8' }).trim()
    process.kill(Number(pid), 'SIGKILL')
    await until('a second start', async () => (await told(name)).length === 2)
    await reaches(name, 'running again', running)
    expect(logged.join('')).toContain('a managed daemon ended by itself')
  })

  it('comes back soon when the home is still in use by a predecessor', async () => {
    const { name } = await provision({ image: await image('busyOnce') })
    await reaches(
      name,
      'running without complaint',
      (daemon) => settled(daemon) && findCondition(daemon.status, 'Degraded')?.status === 'False',
    )
    expect(await told(name)).toEqual(['start', 'start'])
  })

  it('does not put a daemon to sleep that cannot flush', async () => {
    verifies('operator.sleep-flushes')
    const { name } = await provision({ image: await image('unflushable') })
    await reaches(name, 'running', running)
    await patch(name, { desiredState: 'sleeping' })
    const { status } = await reaches(
      name,
      'the failure',
      ({ status }) => findCondition(status, 'Degraded')?.status === 'True',
    )
    expect(findCondition(status, 'Degraded')?.reason).toBe('FlushFailed')
    expect(await told(name)).toEqual(['start'])
  })

  it('kills a daemon that does not stop', async () => {
    await stop()
    // On this clock the child has as long as it needs to note SIGTERM.
    const isTold = async () => (await told(name)).includes('term')
    const sleep: Clock['sleep'] = (ms, signal) =>
      ms === KILL_AFTER_MS ? until('the child has the signal', isTold) : systemClock.sleep(ms, signal)
    start({ flushMs: 400, clock: { ...systemClock, sleep } })
    const { name } = await provision({ image: await image('deaf') })
    await reaches(name, 'running', running)
    await patch(name, { desiredState: 'sleeping' })
    await reaches(name, 'sleeping', ({ status }) => status.observedState === 'sleeping')
    // A flush that takes too long is requested again.
    expect(new Set(await told(name))).toEqual(new Set(['start', 'flush', 'term']))
    expect((await told(name)).at(-1)).toBe('term')
  })

  it('passes the lines of a daemon into our log, with its organization', async () => {
    const { name, spec } = await provision({ image: await image('well') })
    await reaches(name, 'running', running)
    await until('the line', () =>
      logged.some((line) => line.includes('"daemon":{"level":"info","msg":"up"}') && line.includes(spec.orgId)),
    )
  })

  it('adopts the volume of an earlier installation', async () => {
    verifies('operator.volume-policy')
    const spec = someSpec({ image: await image('well') })
    const { name } = await provision(spec)
    await reaches(name, 'running', running)
    await store.remove(name)
    await until('the resource is gone', async () => (await store.find(name)) === undefined)
    await provision(spec)
    await reaches(name, 'running', running)
    expect(await told(name)).toEqual(['start', 'flush', 'stop', 'start'])
  })

  it('leaves a paused daemon alone', async () => {
    const { name } = await provision({ image: await image('well') })
    await reaches(name, 'running', running)
    await patch(name, { paused: true, desiredState: 'sleeping' })
    await reaches(name, 'paused', ({ status }) => findCondition(status, 'Paused')?.status === 'True')
    const { reconciles } = reconciler.metrics()
    await until('some more passes', () => reconciler.metrics().reconciles >= reconciles + 3)
    expect(await told(name)).toEqual(['start'])
  })
})
