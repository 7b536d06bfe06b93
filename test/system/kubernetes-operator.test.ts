import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { findCondition, type ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import type { KubeCall } from '@svc/kube/src/kube-client.ts'
import { kinds, pathOf, type KubeObject } from '@svc/kube/src/kinds.ts'
import { INPUT_HASH_ANNOTATION } from '../../operator/src/managed-daemon/names.ts'
import { operatorMetrics } from '../../operator/src/operator-metrics.ts'
import { verifies } from '../requirements.ts'
import { startCluster, type TestCluster } from '../support/kubernetes.ts'
import { operatorHarness, REPOSITORY, type Harness } from '../support/operator-harness.ts'
import type { PodObject } from '../support/test-kubelet.ts'
import { until } from '../support/until.ts'

let cluster: TestCluster
let world: Harness
let count = 0

beforeAll(async () => {
  cluster = await startCluster()
})
afterAll(() => cluster.stop())
beforeEach(async () => {
  world = await operatorHarness({ cluster, namespace: `daemons-${count++}` })
})
afterEach(() => world.stop())

type Workload = KubeObject & { spec: { template: PodObject } }

const running = ({ status }: ManagedDaemon) => status.observedState === 'running'
const settled = (daemon: ManagedDaemon) =>
  running(daemon) &&
  findCondition(daemon.status, 'Progressing')?.status === 'False' &&
  daemon.status.observedGeneration === daemon.generation
const degraded = ({ status }: ManagedDaemon) => findCondition(status, 'Degraded')?.reason
const roll = (number: number) => ({ id: `roll-000${number}`, action: 'image_roll', epoch: number }) as const

async function provisioned(): Promise<{ name: string; image: string }> {
  const image = await world.image({ version: '1.0.0' })
  const operation = { id: 'provision-1', action: 'provision', epoch: 0 } as const
  const { name } = await world.create({ image, operation })
  await world.reaches(name, 'running', settled)
  return { name, image }
}

/**
 * The number of writes so far. An object can be read before the operator has the response to its write, so this waits
 * for two more passes: the pass that wrote last is then over.
 */
async function writesSoFar(operator: ReturnType<Harness['start']>): Promise<number> {
  const passes = () => operator.state().reconciler.reconciles
  const before = passes()
  await until('the end of the pass that wrote last', () => passes() >= before + 2)
  return world.writes().length
}

describe('a managed daemon on Kubernetes', () => {
  it('is provisioned, in order and with few writes', async () => {
    verifies('operator.key-order', 'operator.few-writes')
    world.setAutoAccept('off')
    const operator = world.start()
    const image = await world.image({ version: '1.0.0' })
    const { name } = await world.create({ image, operation: { id: 'provision-1', action: 'provision', epoch: 0 } })
    const waiting = await world.reaches(name, 'the hash of the key', ({ status }) => status.relay?.keys.length === 1)
    expect(waiting.status).toMatchObject({ observedState: 'provisioning', operation: { outcome: 'executing' } })
    expect(await world.get(kinds.statefulSet, name)).toBeUndefined()

    world.setAutoAccept('on')
    await world.patch(name, { relay: { acceptedGeneration: 1 } })
    const { status } = await world.reaches(name, 'running', settled)
    expect(status).toMatchObject({
      observedState: 'running',
      image,
      lastGoodImage: image,
      version: '1.0.0',
      provider: { app: name, machine: `${name}-0`, volume: `${name}-home` },
      operation: { id: 'provision-1', outcome: 'succeeded' },
    })
    expect(await world.told(name)).toEqual(['start 1.0.0'])
    await writesSoFar(operator)
    const writes = world.writes().map(({ method, path }) => `${method} ${path.split('/').slice(-3).join('/')}`)
    const ofStatus = writes.filter((write) => write.endsWith('/status')).length
    expect([writes.length - ofStatus, ofStatus], writes.join('\n')).toEqual([6, 3])
  })

  it('runs a restricted pod with its own volume, account and network rules', async () => {
    world.start()
    const { name } = await provisioned()
    const pod = (await world.get<PodObject>(kinds.pod, `${name}-0`))!
    expect(pod.spec).toMatchObject({
      serviceAccountName: name,
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    })
    expect(pod.spec.containers[0]).toMatchObject({
      securityContext: {
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      },
    })
    // An autoscaler removes no node with a pod whose directories it must not lose.
    const directories = pod.spec.volumes.filter(({ emptyDir }) => emptyDir).map(({ name }) => name)
    const expendable = pod.metadata.annotations?.['cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes']
    expect(expendable?.split(',')).toEqual(directories)
    expect(JSON.stringify(pod)).not.toContain('svc_dmn_')
    expect(await world.get(kinds.serviceAccount, name)).toMatchObject({ automountServiceAccountToken: false })
    expect(await world.get(kinds.service, name)).toMatchObject({ spec: { clusterIP: 'None' } })
    expect(await world.get(kinds.networkPolicy, name)).toMatchObject({ spec: { policyTypes: ['Ingress', 'Egress'] } })
    expect((await world.get(kinds.volumeClaim, `${name}-home`))?.metadata.ownerReferences).toBeUndefined()
  })

  it('is written to 0 times once it is as desired, also by a restarted operator', async () => {
    verifies('operator.idempotent', 'operator.written-rarely')
    const operator = world.start()
    const { name } = await provisioned()
    const uid = await world.podUid(name)
    const writes = await writesSoFar(operator)
    const { resourceVersion } = await world.read(name)
    const { reconciles } = operator.state().reconciler
    await until('more passes', () => operator.state().reconciler.reconciles >= reconciles + 3)
    expect(world.writes().slice(writes)).toEqual([])

    await world.stopOperators()
    const next = world.start()
    await until('the restarted operator', () => next.state().synced)
    await until('a pass', () => next.state().reconciler.reconciles >= 2)
    expect(world.writes().slice(writes)).toEqual([])
    expect(await world.read(name)).toMatchObject({ resourceVersion })
    expect(await world.podUid(name)).toBe(uid)
  })

  it('rolls to another image, with its key, volume and names kept in order', async () => {
    world.start()
    const { name } = await provisioned()
    const before = await world.read(name)
    const uid = await world.podUid(name)
    const image = await world.image({ version: '2.0.0' })
    await world.patch(name, { image, operation: roll(1), relay: { keyGeneration: 2 } })
    const { status } = await world.reaches(
      name,
      'the new image',
      (daemon) => settled(daemon) && daemon.status.image === image,
    )
    expect(status).toMatchObject({
      lastGoodImage: image,
      version: '2.0.0',
      provider: before.status.provider,
      operation: { id: roll(1).id, outcome: 'succeeded' },
    })
    expect(status.relay?.keys.map(({ generation }) => generation)).toEqual([2])
    expect(await world.told(name)).toEqual(['start 1.0.0', 'flush 1.0.0', 'stop 1.0.0', 'start 2.0.0'])
    expect(await world.podUid(name)).not.toBe(uid)
  })

  it('rolls and sleeps with few pods where admission changes images to those of a mirror', async () => {
    verifies('operator.mirrored-images')
    const mirror = (image: string) => image.replace('registry.example.net', 'mirror.example.net')
    await changeAdmittedImages(world, { from: 'registry.example.net', to: 'mirror.example.net' })
    const uids = new Set<string | undefined>()
    const images = [await world.image({ version: '1.0.0' }), await world.image({ version: '2.0.0' })] as const
    for (const image of images) world.images.set(mirror(image), world.images.get(image)!)
    world.start()
    const { name } = await world.create({ image: images[0] })
    await world.reaches(name, 'running', settled)
    uids.add(await world.podUid(name))

    await world.patch(name, { image: images[1], operation: roll(1) })
    const rolled = (daemon: ManagedDaemon) => settled(daemon) && daemon.status.image === images[1]
    const { status } = await world.reaches(name, 'the new image', rolled)
    expect(status).toMatchObject({ lastGoodImage: images[1], operation: { id: roll(1).id, outcome: 'succeeded' } })
    expect((await world.get<PodObject>(kinds.pod, `${name}-0`))?.spec.containers[0].image).toBe(mirror(images[1]))
    uids.add(await world.podUid(name))

    await world.patch(name, { desiredState: 'sleeping' })
    await world.reaches(name, 'asleep', ({ status: { observedState } }) => observedState === 'sleeping')
    await world.patch(name, { desiredState: 'running' })
    await world.reaches(name, 'running again', settled)
    uids.add(await world.podUid(name))
    const told = await world.told(name)
    expect(told.filter((line) => line.startsWith('start'))).toEqual(['start 1.0.0', 'start 2.0.0', 'start 2.0.0'])
    expect(uids.size).toBe(3)
  })

  it('rotates its relay key without a restart', async () => {
    world.start()
    const { name } = await provisioned()
    const uid = await world.podUid(name)
    await world.patch(name, {
      relay: { keyGeneration: 2 },
      operation: { id: 'rotate-01', action: 'key_rotation', epoch: 1 },
    })
    const { status } = await world.reaches(
      name,
      'the rotation',
      (daemon) =>
        settled(daemon) && daemon.spec.relay.acceptedGeneration === 2 && daemon.status.relay?.keys.length === 1,
    )
    expect(status.relay?.keys[0]?.generation).toBe(2)
    expect(status.operation).toEqual({ id: 'rotate-01', outcome: 'succeeded' })
    const secret = await world.get<KubeObject & { data: Record<string, string> }>(kinds.secret, `${name}-relay`)
    expect(Object.keys(secret!.data).sort()).toEqual(['generation', 'key-2', 'probe-token', 'token'])
    expect(await world.podUid(name)).toBe(uid)
  })

  it('sleeps after a flush, grows asleep, and wakes', async () => {
    verifies('operator.sleep-flushes')
    const operator = world.start()
    const { name } = await provisioned()
    await world.patch(name, { desiredState: 'sleeping' })
    const { status } = await world.reaches(name, 'sleeping', ({ status }) => status.observedState === 'sleeping')
    expect(findCondition(status, 'Ready')).toMatchObject({ status: 'False', reason: 'Asleep' })
    expect(await world.podUid(name)).toBeUndefined()
    expect(await world.told(name)).toEqual(['start 1.0.0', 'flush 1.0.0', 'stop 1.0.0'])

    await world.patch(name, {
      storage: { size: '128Mi' },
      operation: { id: 'grow-0001', action: 'storage_grow', epoch: 1 },
    })
    await world.reaches(
      name,
      'the growth',
      ({ status }) =>
        status.operation?.id === 'grow-0001' &&
        status.operation.outcome === 'succeeded' &&
        findCondition(status, 'Progressing')?.status === 'False' &&
        status.storage?.capacityBytes === 128 * 2 ** 20,
    )
    const writes = await writesSoFar(operator)
    await world.patch(name, { desiredState: 'running' })
    await world.reaches(name, 'awake', settled)
    const [first] = world.writes().slice(writes)
    expect(first?.path, 'somebody waits for the pod').toContain(`/statefulsets/${name}`)
    // Only server-side apply forces.
    expect(first?.query, 'no whole template is applied again').not.toContain('force')
    expect(await world.told(name)).toEqual(['start 1.0.0', 'flush 1.0.0', 'stop 1.0.0', 'start 1.0.0'])
  })

  it('does not go to sleep when it cannot flush', async () => {
    world.start()
    const image = await world.image({ version: '1.0.0', flushes: false })
    const { name } = await world.create({ image })
    await world.reaches(name, 'running', settled)
    await world.patch(name, { desiredState: 'sleeping' })
    await world.reaches(name, 'the failure', (daemon) => degraded(daemon) === 'FlushFailed')
    expect(await world.podUid(name)).toBeDefined()
  })

  const broken = [
    ['crashes', { version: '2.0.0', crashes: true }, 'Crashed'],
    ['is never ready', { version: '2.0.0', ready: false }, 'MachineNotReady'],
    ['never reaches the relay', { version: '2.0.0', connected: false }, 'RelayNotConnected'],
  ] as const
  it.each(broken)('returns to the last good image from one that %s', async (_what, behaviour, reason) => {
    verifies('operator.bad-image')
    const limits = { ...world.limits }
    world.start({}, { limits })
    const { name, image } = await provisioned()
    await world.patch(name, { image: await world.image(behaviour), operation: roll(1) })
    await until('the new image runs', async () => (await world.told(name)).includes('start 2.0.0'))
    // The deadline passes when the operator has seen as much of the image as there is, however long its start took.
    const isSeen = ({ status }: ManagedDaemon) => reason !== 'RelayNotConnected' || status.version === '2.0.0'
    await world.reaches(name, 'ready, if it ever is', isSeen)
    if (reason !== 'Crashed') limits.startDeadlineMs = 0
    await world.reaches(name, 'the failure', ({ status }) => status.operation?.outcome === 'failed')
    const { status } = await world.reaches(
      name,
      'the old image',
      (daemon) => settled(daemon) && daemon.status.image === image,
    )
    expect(status.operation).toMatchObject({ id: roll(1).id, outcome: 'failed', reason })
    expect(degraded(await world.read(name))).toBe('OperationFailed')

    const starts = world.kubelet.started.length
    await world.stopOperators()
    const next = world.start()
    await until('the restarted operator', () => next.state().synced)
    expect(world.kubelet.started).toHaveLength(starts)
    await world.patch(name, {
      relay: { keyGeneration: 2 },
      operation: { id: 'rotate-01', action: 'key_rotation', epoch: 2 },
    })
    await world.reaches(
      name,
      'the rotation',
      ({ status }) => status.operation?.id === 'rotate-01' && status.operation.outcome === 'succeeded',
    )
    expect(world.kubelet.started).toHaveLength(starts)
  })

  it('returns from an image that cannot be pulled, and touches nothing for one that is not allowed', async () => {
    world.start()
    const { name, image } = await provisioned()
    const uid = await world.podUid(name)
    const bad = [
      `docker.io/library/svcd@sha256:${'a'.repeat(64)}`,
      `${REPOSITORY}:1.0.0`,
      `${REPOSITORY}-evil@sha256:${'a'.repeat(64)}`,
    ]
    for (const [index, image] of bad.entries()) {
      await world.patch(name, { image, operation: roll(index) })
      await world.reaches(
        name,
        'the refusal',
        ({ status }) => status.operation?.id === roll(index).id && status.operation.reason === 'ImageNotAllowed',
      )
    }
    expect(await world.podUid(name)).toBe(uid)

    await world.patch(name, { image: `${REPOSITORY}@sha256:${'a'.repeat(64)}`, operation: roll(5) })
    await world.reaches(name, 'the failure', ({ status }) => status.operation?.reason === 'ImageNotPulled')
    await world.reaches(name, 'the old image', (daemon) => settled(daemon) && daemon.status.image === image)
  })

  it('goes on trying to get a first image, and says what to do', async () => {
    verifies('operator.first-pull')
    world.start()
    const image = await world.image({ version: '1.0.0' })
    const program = world.images.get(image)!
    world.images.delete(image)
    const operation = { id: 'provision-1', action: 'provision', epoch: 0 } as const
    const { name } = await world.create({ image, operation })
    const { status } = await world.reaches(name, 'the report', (daemon) => degraded(daemon) === 'ImageNotPulled')
    expect(findCondition(status, 'Degraded')?.message).toContain('pull secret')
    expect(status).toMatchObject({ observedState: 'degraded', operation: { outcome: 'executing' } })
    world.images.set(image, program)
    const pulled = await world.reaches(name, 'running', settled)
    expect(pulled.status.operation).toEqual({ id: operation.id, outcome: 'succeeded' })
  })

  it('is left as it runs by an operator whose template differs, until it next stops', async () => {
    verifies('operator.upgrade-no-restart')
    world.start()
    const { name } = await provisioned()
    const uid = await world.podUid(name)
    await world.stopOperators()
    const before = world.writes().length

    const upgraded = { namespace: 'svc-system', labels: { app: 'y' } }
    const children = {
      probePort: 7383,
      insecureRelay: 'refused' as const,
      imagePullSecrets: ['pull'],
      nodeSelector: {},
      cpuRequestPercent: 50,
      reach: { operator: upgraded, dns: upgraded, relay: { ...upgraded, port: 443 } },
    }
    world.start({ children })
    // Only the rules: names and versions of the object may have these digits by chance.
    await until('the network rules follow', async () => {
      const policy = await world.get<KubeObject & { spec: object }>(kinds.networkPolicy, name)
      return JSON.stringify(policy?.spec).includes('"port":443')
    })
    await world.reaches(name, 'settled', settled)
    expect(await world.podUid(name)).toBe(uid)
    // Not by the object's version: its controller may still write its status.
    const written = world.writes().slice(before)
    expect(written.map(({ path }) => path).join(' ')).toContain('/networkpolicies/')
    expect(written.filter(({ path }) => path.includes('/statefulsets/'))).toEqual([])

    await world.patch(name, { desiredState: 'sleeping' })
    await world.reaches(name, 'sleeping', ({ status }) => status.observedState === 'sleeping')
    await world.patch(name, { desiredState: 'running' })
    await world.reaches(name, 'awake', settled)
    expect((await world.get<PodObject>(kinds.pod, `${name}-0`))?.spec).toMatchObject({
      imagePullSecrets: [{ name: 'pull' }],
    })
  })

  it('gets the corrected template when its pod cannot start', async () => {
    verifies('operator.template-corrected')
    world.start()
    const { name } = await provisioned()
    await world.stopOperators()
    const withPool = (pool: string) => ({ children: { ...world.children, nodeSelector: { pool } } })
    const evict = () => world.admin.request({ method: 'DELETE', path: pathOf(kinds.pod, world.namespace, `${name}-0`) })
    const poolOf = async () => (await world.get<PodObject>(kinds.pod, `${name}-0`))?.spec.nodeSelector?.pool

    world.kubelet.labels.pool = 'a'
    const operator = world.start(withPool('gone'))
    await world.patch(name, { desiredState: 'sleeping' })
    await world.reaches(name, 'sleeping', ({ status }) => status.observedState === 'sleeping')
    await world.patch(name, { desiredState: 'running' })
    await world.reaches(name, 'no node', (daemon) => degraded(daemon) === 'Unschedulable')
    const writes = await writesSoFar(operator)
    await writesSoFar(operator)
    expect(world.writes().slice(writes), 'a template that is current is not applied again').toEqual([])
    await world.stopOperators()

    world.start(withPool('a'))
    await world.reaches(name, 'running', settled)
    expect(await poolOf()).toBe('a')
    const isRemoval = ({ method, path, status }: KubeCall) =>
      method === 'DELETE' && path.includes('/pods/') && status < 300
    expect(world.writes().filter(isRemoval)).toHaveLength(1)
    await world.stopOperators()

    // While a pod goes, the next one gets the template of now.
    world.kubelet.labels.pool = 'b'
    world.start(withPool('b'))
    await world.reaches(name, 'running', settled)
    await evict()
    await until('a pod on the other node', async () => (await poolOf()) === 'b')
    await world.reaches(name, 'running again', settled)
  })

  it('gets the corrected template when the cluster refuses it a pod', async () => {
    verifies('operator.template-corrected')
    const operator = world.start()
    const { name } = await provisioned()
    const max = { memory: '128Mi' }
    const limits = { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'small' } }
    await world.admin.request({
      method: 'POST',
      path: `/api/v1/namespaces/${world.namespace}/limitranges`,
      body: { ...limits, spec: { limits: [{ type: 'Container', max }] } },
    })
    await world.patch(name, { desiredState: 'sleeping' })
    await world.reaches(name, 'sleeping', ({ status }) => status.observedState === 'sleeping')
    await world.patch(name, { desiredState: 'running' })
    await world.reaches(name, 'no pod', ({ status }) => status.observedState === 'starting')
    const writes = await writesSoFar(operator)
    await writesSoFar(operator)
    expect(world.writes().slice(writes)).toEqual([])
    await world.patch(name, { resources: { cpu: '100m', ...max } })
    await world.reaches(name, 'awake', settled)
  })

  it('returns to its image when somebody changes the workload by hand', async () => {
    verifies('operator.changed-by-hand')
    const operator = world.start()
    const { name, image } = await provisioned()
    const uid = await world.podUid(name)
    const other = await world.image({ version: '9.0.0' })
    const containersOf = async () => (await world.get<Workload>(kinds.statefulSet, name))!.spec.template.spec.containers
    const setImage = async () => {
      const containers = (await containersOf()).map((container) => ({ ...container, image: other }))
      const body = { spec: { template: { spec: { containers } } } }
      const path = pathOf(kinds.statefulSet, world.namespace, name)
      await world.admin.request({ method: 'PATCH', patch: 'merge', path, body })
    }

    await setImage()
    await until('the template is as it was', async () => (await containersOf())[0]?.image === image)
    await world.reaches(name, 'settled', settled)
    const writes = await writesSoFar(operator)
    await writesSoFar(operator)
    expect(world.writes().slice(writes)).toEqual([])
    expect(await world.podUid(name)).toBe(uid)
    expect(await world.told(name), 'what runs is not asked to stop').toEqual(['start 1.0.0'])

    await world.patch(name, { desiredState: 'sleeping' })
    await world.reaches(name, 'sleeping', ({ status }) => status.observedState === 'sleeping')
    await setImage()
    await world.patch(name, { desiredState: 'running' })
    await world.reaches(name, 'awake', settled)
    expect(await world.told(name)).toEqual(['start 1.0.0', 'flush 1.0.0', 'stop 1.0.0', 'start 1.0.0'])
  })

  it('loses what somebody added to its template by hand, when it is next written', async () => {
    verifies('operator.changed-by-hand')
    world.start()
    const { name } = await provisioned()
    await world.patch(name, { desiredState: 'sleeping' })
    await world.reaches(name, 'sleeping', ({ status }) => status.observedState === 'sleeping')
    const templateOf = async () => (await world.get<Workload>(kinds.statefulSet, name))!.spec.template
    const before = await templateOf()

    // As `kubectl rollout undo` brings back a template of other settings.
    const [container] = before.spec.containers
    const containers = [{ ...container, env: [...(container.env ?? []), { name: 'SVC_OTHER', value: 'yes' }] }]
    const annotations = { [INPUT_HASH_ANNOTATION]: 'of other settings', other: 'yes' }
    const template = { metadata: { annotations }, spec: { containers, nodeSelector: { disk: 'fast' } } }
    const path = pathOf(kinds.statefulSet, world.namespace, name)
    const query = { fieldManager: 'kubectl-rollout' }
    await world.admin.request({ method: 'PATCH', patch: 'merge', path, query, body: { spec: { template } } })
    await world.patch(name, { desiredState: 'running' })
    await world.reaches(name, 'awake', settled)
    expect(await templateOf()).toEqual(before)
  })

  it('reports an object of its name that is not its own, and leaves it alone', async () => {
    const spec = { image: await world.image({ version: '1.0.0' }) }
    const { name } = await world.create(spec)
    const foreign = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `${name}-relay` },
      stringData: { mine: 'yes' },
    }
    await world.admin.request({ method: 'POST', path: pathOf(kinds.secret, world.namespace), body: foreign })
    world.start()
    await world.reaches(name, 'the report', (daemon) => degraded(daemon) === 'ForeignObject')
    expect(await world.get(kinds.statefulSet, name)).toBeUndefined()
    const kept = await world.get<KubeObject & { data: Record<string, string> }>(kinds.secret, `${name}-relay`)
    expect(Object.keys(kept!.data)).toEqual(['mine'])
  })

  it('reports a growth that the storage refuses, and goes on serving', async () => {
    world.start()
    const image = await world.image({ version: '1.0.0' })
    const { name } = await world.create({ image, storage: { size: '64Mi', className: 'rigid' } })
    await world.reaches(name, 'running', settled)
    await world.patch(name, {
      storage: { size: '128Mi' },
      operation: { id: 'grow-0001', action: 'storage_grow', epoch: 1 },
    })
    const { status } = await world.reaches(name, 'the refusal', ({ status }) => status.operation?.outcome === 'failed')
    const message = expect.stringContaining('resized')
    expect(status).toMatchObject({ observedState: 'running', operation: { reason: 'GrowthRefused', message } })

    await world.patch(name, {
      relay: { keyGeneration: 2 },
      operation: { id: 'rotate-01', action: 'key_rotation', epoch: 2 },
    })
    const isRotated = ({ status: { operation } }: ManagedDaemon) =>
      operation?.id === 'rotate-01' && operation.outcome !== 'executing'
    const rotated = await world.reaches(name, 'the rotation', isRotated)
    expect(rotated.status.operation).toEqual({ id: 'rotate-01', outcome: 'succeeded' })
    expect(degraded(rotated)).toBe('GrowthRefused')
  })

  it('comes back after a crash, and says so meanwhile', async () => {
    world.start()
    const { name } = await provisioned()
    world.kubelet.kill(`${name}-0`)
    await world.reaches(name, 'the report', (daemon) => degraded(daemon) === 'Crashed')
    await world.reaches(name, 'running again', running)
    expect(await world.told(name)).toEqual(['start 1.0.0', 'start 1.0.0'])
  })

  it('is not said to have crashed when it ended as it was asked to, nor when it ended in order by itself', async () => {
    verifies('operator.truthful-end')
    const troubles: string[] = []
    const unwatch = world.store.watch((event) => {
      if (event.type !== 'upserted') return
      const { status, reason = '' } = findCondition(event.daemon.status, 'Degraded') ?? {}
      if (status === 'True') troubles.push(reason)
    })
    world.start()
    const { name } = await provisioned()
    await world.patch(name, { image: await world.image({ version: '2.0.0' }), operation: roll(1) })
    await world.reaches(name, 'the new image', (daemon) => settled(daemon) && daemon.status.version === '2.0.0')
    await world.patch(name, { desiredState: 'sleeping' })
    await world.reaches(name, 'sleeping', ({ status }) => status.observedState === 'sleeping')
    expect(troubles).toEqual([])

    await world.patch(name, { desiredState: 'running' })
    await world.reaches(name, 'awake', settled)
    world.kubelet.kill(`${name}-0`, 'SIGTERM')
    const { status } = await world.reaches(name, 'the report', (daemon) => degraded(daemon) === 'EndedByItself')
    expect(findCondition(status, 'Degraded')?.message).toMatch(/ended by itself with exit code 0/)
    await world.reaches(name, 'running again', running)
    expect(new Set(troubles)).toEqual(new Set(['EndedByItself']))
    unwatch()
  })

  it('follows a policy that changes in the same breath as the deletion', async () => {
    world.start()
    const gone = await provisioned()
    await world.stopOperators()
    await world.patch(gone.name, { deletionPolicy: 'delete' })
    await world.store.remove(gone.name)
    world.start()
    await until('the volume is gone', async () => !(await world.get(kinds.volumeClaim, `${gone.name}-home`)))
    await until('the resource is gone', async () => (await world.store.find(gone.name)) === undefined)

    const kept = await provisioned()
    await world.patch(kept.name, { deletionPolicy: 'delete' })
    const ownersOf = async () =>
      (await world.get(kinds.volumeClaim, `${kept.name}-home`))?.metadata.ownerReferences?.length ?? 0
    await until('the volume is owned', async () => (await ownersOf()) === 1)
    const volume = (await world.get(kinds.volumeClaim, `${kept.name}-home`))!.metadata
    // The garbage collector deletes it because its owner is gone, as it would the volume.
    const metadata = { name: 'also-owned', ownerReferences: volume.ownerReferences }
    const body = { apiVersion: 'v1', kind: 'Secret', metadata }
    await world.admin.request({ method: 'POST', path: pathOf(kinds.secret, world.namespace), body })
    await world.stopOperators()
    await world.patch(kept.name, { deletionPolicy: 'retain' })
    await world.store.remove(kept.name)
    world.start()
    await until('the resource is gone', async () => (await world.store.find(kept.name)) === undefined)
    await until('what it owned is gone', async () => (await world.get(kinds.secret, 'also-owned')) === undefined)
    const claim = await world.get(kinds.volumeClaim, `${kept.name}-home`)
    expect(claim?.metadata.uid).toBe(volume.uid)
    expect(claim?.metadata.deletionTimestamp).toBeUndefined()
    expect(claim?.metadata.ownerReferences ?? []).toEqual([])
  })

  it('goes with its children; its volume stays or goes by the policy, and is adopted again', async () => {
    verifies('operator.volume-policy')
    world.start()
    const { name, image } = await provisioned()
    const { spec } = await world.read(name)
    await world.store.remove(name)
    await until('the resource is gone', async () => (await world.store.find(name)) === undefined)
    for (const kind of [kinds.statefulSet, kinds.service, kinds.serviceAccount, kinds.networkPolicy])
      expect(await world.get(kind, name)).toBeUndefined()
    expect(await world.get(kinds.secret, `${name}-relay`)).toBeUndefined()
    const kept = await world.get(kinds.volumeClaim, `${name}-home`)

    const { operation: _, ...rest } = spec
    await world.store.create({
      ...rest,
      image,
      deletionPolicy: 'delete',
      relay: { ...spec.relay, acceptedGeneration: 0 },
    })
    await world.reaches(name, 'running again', settled)
    const adopted = await world.get(kinds.volumeClaim, `${name}-home`)
    expect(adopted?.metadata.uid).toBe(kept?.metadata.uid)
    expect(adopted?.metadata.ownerReferences).toHaveLength(1)

    await world.store.remove(name)
    await until('the volume is gone', async () => (await world.get(kinds.volumeClaim, `${name}-home`)) === undefined)
    await until('the resource is gone', async () => (await world.store.find(name)) === undefined)
  })

  it('gets no empty volume in place of one that was deleted, and goes on when a volume is back', async () => {
    verifies('operator.volume-lost')
    const operator = world.start()
    const { name } = await provisioned()
    await world.patch(name, { desiredState: 'sleeping' })
    await world.reaches(name, 'sleeping', ({ status }) => status.observedState === 'sleeping')
    const path = pathOf(kinds.volumeClaim, world.namespace, `${name}-home`)
    const { metadata, spec } = (await world.get<KubeObject & { spec: object }>(kinds.volumeClaim, `${name}-home`))!
    await world.admin.request({ method: 'DELETE', path })
    const lost = await world.reaches(name, 'the report', (daemon) => degraded(daemon) === 'VolumeLost')
    expect(lost.status.observedState).toBe('failed')
    const metrics = operatorMetrics(operator)
    await until('the metric', async () => (await metrics.metrics()).includes('svc_operator_daemons{state="failed"} 1'))
    await world.patch(name, { desiredState: 'running' })
    await world.reaches(name, 'the next look', ({ status, generation }) => status.observedGeneration === generation)

    const writes = await writesSoFar(operator)
    const { reconciles } = operator.state().reconciler
    await until('more passes', () => operator.state().reconciler.reconciles >= reconciles + 3)
    expect(world.writes().slice(writes)).toEqual([])
    expect(await world.get(kinds.volumeClaim, `${name}-home`)).toBeUndefined()
    expect(await world.podUid(name)).toBeUndefined()

    const { name: claimName, labels } = metadata
    const body = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: claimName, labels }, spec }
    await world.admin.request({ method: 'POST', path: pathOf(kinds.volumeClaim, world.namespace), body })
    await world.reaches(name, 'running again', settled)
    expect(degraded(await world.read(name))).toBe('AsDesired')
  })

  it('is not stopped while its claim is being deleted: the volume goes with the pod', async () => {
    verifies('operator.volume-lost')
    const operator = world.start()
    const { name } = await provisioned()
    const uid = await world.podUid(name)
    await world.admin.request({ method: 'DELETE', path: pathOf(kinds.volumeClaim, world.namespace, `${name}-home`) })
    await world.reaches(name, 'the report', (daemon) => degraded(daemon) === 'VolumeLost')
    const image = await world.image({ version: '2.0.0' })
    await world.patch(name, { desiredState: 'sleeping', image, operation: roll(1) })
    const { status } = await world.reaches(name, 'the next look', ({ status }) => status.operation?.id === roll(1).id)
    expect(status).toMatchObject({ observedState: 'running', operation: { outcome: 'failed', reason: 'VolumeLost' } })

    const { reconciles } = operator.state().reconciler
    await until('more passes', () => operator.state().reconciler.reconciles >= reconciles + 3)
    expect(await world.podUid(name)).toBe(uid)
    const claim = await world.get(kinds.volumeClaim, `${name}-home`)
    expect(claim?.metadata.deletionTimestamp).toBeDefined()
    expect(await world.told(name)).toEqual(['start 1.0.0'])

    await world.admin.request({ method: 'DELETE', path: pathOf(kinds.pod, world.namespace, `${name}-0`) })
    await until('the claim is gone', async () => !(await world.get(kinds.volumeClaim, `${name}-home`)))
  })

  it('is looked at first by an operator that starts, when it is new, and last when it is as it was left', async () => {
    verifies('operator.asked-first')
    world.start()
    const known = Array.from({ length: 10 }, () => world.create({ paused: true }))
    for (const { name } of await Promise.all(known))
      await world.reaches(name, 'the first look', ({ status, generation }) => status.observedGeneration === generation)
    const asleep = await world.create({ image: await world.image({ version: '1.0.0' }), desiredState: 'sleeping' })
    await world.reaches(
      asleep.name,
      'asleep with its key',
      ({ spec, status, generation }) =>
        spec.relay.acceptedGeneration === 1 &&
        status.observedGeneration === generation &&
        findCondition(status, 'Progressing')?.status === 'False',
    )
    await world.stopOperators()

    const fresh = await world.create({ orgId: `org_${'z'.repeat(24)}`, paused: true })
    const before = world.calls.length
    const operator = world.start({ workers: 1 })
    await until('all are looked at', () => operator.state().synced)
    await world.reaches(fresh.name, 'the first look', ({ status }) => status.observedGeneration === 1)
    const order = world.calls.slice(before).flatMap(({ path }) => /secrets\/(.+)-relay$/.exec(path)?.[1] ?? [])
    expect(order[0]).toBe(fresh.name)
    expect(new Set(order).size).toBe(12)
  })

  it('is looked after by one operator at a time; another takes over', async () => {
    const first = world.start()
    await until('a leader', () => first.state().leading)
    const second = world.start()
    const { name } = await provisioned()
    expect([first.state().leading, second.state().leading]).toEqual([true, false])

    // Take the lease away: the first operator must stop by itself, and there must never be two leaders.
    const path = pathOf(kinds.lease, 'svc-system', `operator-of-${world.namespace}`)
    const taken = { holderIdentity: 'a-third', renewTime: '2026-01-01T00:00:00.000000Z', leaseDurationSeconds: 1 }
    // Without a version, because the leader may renew the lease at any moment.
    await world.admin.request({ method: 'PATCH', path, patch: 'merge', body: { spec: taken } })
    await until('the first steps down', () => !first.state().leading)
    await until('somebody leads again', () => first.state().leading || second.state().leading)
    expect([first.state().leading, second.state().leading].filter(Boolean)).toHaveLength(1)
    await world.patch(name, { desiredState: 'sleeping' })
    await world.reaches(name, 'sleeping', ({ status }) => status.observedState === 'sleeping')
  })
})

/** Makes the API change the images of new pods of the namespace, as a cluster with a mirror does. */
async function changeAdmittedImages(
  { admin, namespace }: Harness,
  { from, to }: { from: string; to: string },
): Promise<void> {
  const apiVersion = 'admissionregistration.k8s.io/v1'
  const name = `mirror-${namespace}`
  const create = (plural: string, object: { kind: string; spec: object }) => {
    const body = { apiVersion, metadata: { name }, ...object }
    return admin.request({ method: 'POST', path: `/apis/${apiVersion}/${plural}`, body })
  }
  const image = '/spec/containers/0/image'
  const expression = `[JSONPatch{op: "replace", path: "${image}", value: object.spec.containers[0].image.replace("${from}", "${to}")}]`
  const pods = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }
  await create('mutatingadmissionpolicies', {
    kind: 'MutatingAdmissionPolicy',
    spec: {
      matchConstraints: { resourceRules: [pods] },
      reinvocationPolicy: 'Never',
      mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression } }],
    },
  })
  await create('mutatingadmissionpolicybindings', {
    kind: 'MutatingAdmissionPolicyBinding',
    spec: {
      policyName: name,
      matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } },
    },
  })
  const probe = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'probe', namespace },
    spec: { containers: [{ name: 'probe', image: `${from}/probe` }] },
  }
  await until('the API changes images', async () => {
    const path = pathOf(kinds.pod, namespace)
    const made = await admin.request<PodObject>({ method: 'POST', path, query: { dryRun: 'All' }, body: probe })
    return made.spec.containers[0].image === `${to}/probe`
  })
}
