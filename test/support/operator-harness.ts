import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@svc/shared/kit/clock.ts'
import type { ManagedDaemon, ManagedDaemonSpec } from '@svc/shared/wire/managed-daemon.ts'
import type { SpecPatch } from '@svc/shared/wire/managed-daemon-store.ts'
import { createOperator, type OperatorDeps } from '../../operator/src/app.ts'
import { loadKubeConfig } from '@svc/kube/src/kube-config.ts'
import type { KubeCall } from '@svc/kube/src/kube-client.ts'
import { kinds, pathOf, type Kind, type KubeObject } from '@svc/kube/src/kinds.ts'
import { absentOn404 } from '@svc/kube/src/kube-error.ts'
import { listAll } from '@svc/kube/src/list-all.ts'
import { managedDaemonKubeStore } from '@svc/kube/src/managed-daemon-kube-store.ts'
import { changeSpec } from './change-spec.ts'
import { childSettings } from './child-settings.ts'
import { quietLog, type TestCluster } from './kubernetes.ts'
import { someSpec } from './managed-daemon-specs.ts'
import { probeProgram } from './probe-programs.ts'
import { testKubelet } from './test-kubelet.ts'
import { PATIENCE_MS, until } from './until.ts'
import { removeFolder } from './remove-folder.ts'

export const REPOSITORY = 'registry.example.net/svc/svcd'
const SYSTEM = 'svc-system'
const limits = { startDeadlineMs: 120_000, soakMs: 300, pollMs: 100, steadyMs: 1_000 }
// Long enough for a process that stands still for seconds: no test waits until a lease expires.
const leaseTiming = { durationMs: 15_000, renewWithinMs: 10_000, everyMs: 300 }

export type HarnessOptions = {
  cluster: TestCluster
  namespace: string
  kubeconfig?: string
  onCall?: (call: KubeCall) => void
}

/**
 * A namespace of a test cluster with a simulated node, an operator that can be started and killed, and the control
 * plane's part.
 */
export async function operatorHarness({ cluster, namespace, kubeconfig, onCall }: HarnessOptions) {
  await cluster.namespace(namespace)
  await cluster.namespace(SYSTEM).catch(() => {}) // another harness created it
  const folder = await mkdtemp(join(tmpdir(), 'svc-node-'))
  const admin = cluster.client()
  await ensureStorageClasses(cluster)

  const images = new Map<string, string>()
  const kubelet = testKubelet({ client: cluster.client(), namespace, folder: join(folder, 'volumes'), images })
  const store = managedDaemonKubeStore({
    client: admin,
    clock: systemClock,
    log: quietLog,
    random: Math.random,
    namespace,
    fieldManager: 'svc-test',
  })
  const calls: KubeCall[] = []

  const operators: { stop: AbortController; done: Promise<void>; operator: ReturnType<typeof createOperator> }[] = []
  const start = (changes: Partial<OperatorDeps['config']> = {}, deps: Partial<OperatorDeps> = {}) => {
    const operator = createOperator({
      config: {
        daemonNamespace: namespace,
        systemNamespace: SYSTEM,
        images: { repository: REPOSITORY, digests: 'required' },
        children: childSettings,
        lease: { name: `operator-of-${namespace}`, identity: `operator-${operators.length}` },
        workers: 4,
        ...changes,
      },
      kubeConfig: loadKubeConfig(kubeconfig ?? cluster.kubeconfig),
      clock: systemClock,
      log: quietLog,
      random: Math.random,
      limits,
      backoff: { baseMs: 50, capMs: 1_000 },
      leaseTiming,
      onCall: (call) => {
        calls.push(call)
        onCall?.(call)
      },
      ...deps,
    })
    const stop = new AbortController()
    operators.push({ stop, operator, done: operator.run(stop.signal) })
    return operator
  }
  /** An operator that dies right after its next write of a daemon, so that nothing after the write happens. */
  const startDoomed = (onDeath: () => void) => {
    start(
      {},
      {
        onCall: ({ method, path }) => {
          if (method === 'GET' || path.includes('/leases')) return
          operators.at(-1)?.stop.abort()
          onDeath()
        },
      },
    )
    return stopOperators
  }
  const stopOperators = async () => {
    for (const { stop } of operators) stop.abort()
    await Promise.all(operators.splice(0).map(({ done }) => done))
  }

  /** The control plane's part of a key: it stores the reported hash and confirms it. */
  const stored = new Map<string, string>()
  const accepting = store.watch((event) => {
    if (event.type !== 'upserted') return
    const { name, resourceVersion, spec, status } = event.daemon
    const next = status.relay?.keys.at(-1)
    if (next === undefined || next.generation <= spec.relay.acceptedGeneration || !autoAccept) return
    stored.set(`${name}/${next.generation}`, next.hash)
    const keyGeneration = Math.max(next.generation, spec.relay.keyGeneration)
    const relay = { keyGeneration, acceptedGeneration: next.generation }
    store.patchSpec(name, resourceVersion, { relay }).catch(() => {})
  })
  let autoAccept = true

  const read = async (name: string) => (await store.find(name))!
  const get = <T extends KubeObject = KubeObject & Record<string, unknown>>(kind: Kind, name: string) =>
    absentOn404(admin.request<T>({ method: 'GET', path: pathOf(kind, namespace, name) }))

  return {
    namespace,
    folder,
    admin,
    store,
    kubelet,
    calls,
    images,
    limits,
    children: childSettings,
    start,
    startDoomed,
    stopOperators,
    read,
    get,
    setAutoAccept: (mode: 'on' | 'off') => void (autoAccept = mode === 'on'),
    list: async <T extends KubeObject>(kind: Kind) => (await listAll<T>(admin, { kind, namespace })).items,
    writes: () => calls.filter(({ method, path }) => method !== 'GET' && !path.includes('/leases')),

    /** Makes an image with that behaviour; its reference names a digest of the allowed repository. */
    async image(behaviour: Parameters<typeof probeProgram>[0]): Promise<string> {
      const digest = Buffer.from(`${behaviour.version}-${images.size}`).toString('hex').padEnd(64, '0').slice(0, 64)
      const dir = join(folder, 'images', digest)
      await mkdir(dir, { recursive: true })
      await writeFile(join(dir, 'svcd.mjs'), probeProgram(behaviour))
      const reference = `${REPOSITORY}@sha256:${digest}`
      images.set(reference, dir)
      return reference
    },
    create: (changes: Partial<ManagedDaemonSpec>) =>
      store.create(someSpec({ storage: { size: '64Mi', className: 'growing' }, ...changes })),
    patch: (name: string, changes: SpecPatch) => changeSpec(store, name, changes),
    async reaches(
      name: string,
      what: string,
      holds: (daemon: ManagedDaemon) => boolean,
      withinMs = PATIENCE_MS,
    ): Promise<ManagedDaemon> {
      try {
        await until(what, async () => holds(await read(name)), { withinMs })
      } catch (error) {
        const { status } = await read(name)
        throw new Error(
          `${(error as Error).message}\n${JSON.stringify(status, null, 1)}\n${kubelet.errors.slice(-5).join('\n')}`,
          { cause: error },
        )
      }
      return read(name)
    },
    /** What the programs of a daemon logged in its volume: starts, flushes and stops with their versions. */
    async told(name: string): Promise<string[]> {
      const text = await readFile(join(kubelet.volumeOf(`${name}-home`), 'told'), 'utf8').catch(() => '')
      return text.split('\n').filter((line) => line !== '')
    },
    podUid: async (name: string) => (await get(kinds.pod, `${name}-0`))?.metadata.uid,
    async stop(): Promise<void> {
      accepting()
      await stopOperators()
      await kubelet.stop()
      await removeFolder(folder)
    },
  }
}

export type Harness = Awaited<ReturnType<typeof operatorHarness>>

async function ensureStorageClasses(cluster: TestCluster): Promise<void> {
  for (const [name, allowVolumeExpansion] of [
    ['growing', true],
    ['rigid', false],
  ] as const) {
    const body = {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name },
      provisioner: 'test.svc.example/none',
      allowVolumeExpansion,
    }
    await cluster
      .client()
      .request({ method: 'POST', path: '/apis/storage.k8s.io/v1/storageclasses', body })
      .catch(() => {})
  }
}
