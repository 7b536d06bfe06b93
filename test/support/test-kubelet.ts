import { spawn, type ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdir, stat } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { kinds, pathOf, type KubeObject } from '@svc/kube/src/kinds.ts'
import type { KubeClient } from '@svc/kube/src/kube-client.ts'
import { absentOn404 } from '@svc/kube/src/kube-error.ts'
import { Reflector } from '@svc/kube/src/reflector.ts'
import { writeMount } from '../../operator/src/runtime/processes/atomic-mount.ts'
import { quietLog } from './kubernetes.ts'

type Container = {
  name: string
  image: string
  env?: { name: string; value?: string; valueFrom?: { fieldRef?: { fieldPath: string } } }[]
  volumeMounts?: { name: string; mountPath: string }[]
}
type Volume = {
  name: string
  persistentVolumeClaim?: { claimName: string }
  secret?: { secretName: string; items: { key: string; path: string }[] }
  emptyDir?: object
}
export type PodObject = KubeObject & {
  spec: { nodeName?: string; nodeSelector?: Record<string, string>; containers: [Container]; volumes: Volume[] }
  status?: Record<string, unknown>
}
type Claim = KubeObject & {
  spec: { volumeName?: string; resources: { requests: { storage: string } } }
  status?: { phase?: string; capacity?: { storage: string } }
}

type Run = {
  uid: string
  ip: string
  child?: ChildProcess
  restarts: number
  startedAt?: string
  lastExit?: number
  nextStart: number
  ending?: boolean
  /** When a stopped pod disappears: until then its end is visible. */
  goneAt?: number
  told?: string
  /** When the pod became ready, or ceased to be, in whole seconds as a node reports it. */
  turned?: { ready: boolean; at: string }
}

type Options = {
  client: KubeClient
  namespace: string
  /** Folder of the volumes, by the name of their claims. */
  folder: string
  /** Folder of the program of each image; an image without one cannot be pulled. */
  images: Map<string, string>
}

const EVERY_MS = 100
const RESTART_MS = 100
const END_SHOWN_MS = 300

/**
 * Does what a node does: binds pods and claims, mounts folders and Secrets, runs the program of the image as a real
 * process, probes it, reports to the API, and stops it gracefully.
 */
export function testKubelet({ client, namespace, folder, images }: Options) {
  const runs = new Map<string, Run>()
  const stop = new AbortController()
  const started: { pod: string; image: string }[] = []
  const labels: Record<string, string> = {}
  // Another run on this machine may use addresses for its pods too.
  const block = 32 + randomInt(200)
  let addresses = 0

  const follow = <T extends KubeObject>(kind: (typeof kinds)['pod'] | (typeof kinds)['volumeClaim']) =>
    new Reflector<T>({
      client,
      clock: systemClock,
      log: quietLog,
      random: Math.random,
      kind,
      namespace,
      trim: (object) => object,
      onEvent: (event) => {
        if (event.type === 'upserted') seen.set(event.object.metadata.uid ?? '', event.object)
        if (event.type === 'removed') seen.delete(event.object.metadata.uid ?? '')
      },
    })
  const seen = new Map<string, KubeObject>()
  const reflectors = [follow<PodObject>(kinds.pod as never), follow<Claim>(kinds.volumeClaim as never)]

  const patchStatus = (kind: typeof kinds.pod | typeof kinds.volumeClaim, name: string, status: object) =>
    absentOn404(
      client.request({
        method: 'PATCH',
        patch: 'merge',
        path: `${pathOf(kind, namespace, name)}/status`,
        body: { status },
      }),
    )

  /** Binds a claim, and grows a bound one at once. */
  const settleClaim = async (claim: Claim) => {
    const { name } = claim.metadata
    const storage = claim.spec.resources.requests.storage
    if (claim.status?.capacity?.storage === storage) return
    if (claim.spec.volumeName === undefined) {
      const body = { spec: { volumeName: `volume-of-${name}` } }
      await client.request({ method: 'PATCH', patch: 'merge', path: pathOf(kinds.volumeClaim, namespace, name), body })
    }
    await patchStatus(kinds.volumeClaim, name, { phase: 'Bound', capacity: { storage } })
  }

  const mount = async (pod: PodObject): Promise<Map<string, string>> => {
    const [container] = pod.spec.containers
    const folders = new Map<string, string>()
    for (const { name, mountPath } of container.volumeMounts ?? []) {
      const volume = pod.spec.volumes.find((volume) => volume.name === name)
      const at = volume?.persistentVolumeClaim
        ? join(folder, volume.persistentVolumeClaim.claimName)
        : join(folder, `${pod.metadata.uid}-${name}`)
      if (volume?.secret) {
        const { secretName, items } = volume.secret
        const path = pathOf(kinds.secret, namespace, secretName)
        const { data = {} } = await client.request<{ data?: Record<string, string> }>({ method: 'GET', path })
        const files = items.map(({ key, path }) => [path, Buffer.from(data[key] ?? '', 'base64').toString()] as const)
        await writeMount(at, Object.fromEntries(files))
      } else await mkdir(at, { recursive: true })
      folders.set(mountPath, at)
    }
    return folders
  }

  const start = async (pod: PodObject, run: Run) => {
    const [container] = pod.spec.containers
    const program = images.get(container.image)
    if (program === undefined) return
    const folders = await mount(pod)
    const env = Object.fromEntries(
      (container.env ?? []).map(({ name, value, valueFrom }) => {
        const text = valueFrom?.fieldRef?.fieldPath === 'status.podIP' ? run.ip : (value ?? '')
        const mounted = [...folders].find(([mountPath]) => text === mountPath || text.startsWith(`${mountPath}/`))
        return [name, mounted ? text.replace(mounted[0], mounted[1]) : text]
      }),
    )
    const child = spawn(process.execPath, [join(program, 'svcd.mjs')], {
      env,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    started.push({ pod: pod.metadata.name, image: container.image })
    child.stderr?.on('data', (chunk: Buffer) => errors.push(chunk.toString()))
    run.child = child
    run.startedAt = `${systemClock.now().toISOString().slice(0, 19)}Z`
    child.once('exit', (code) => {
      run.child = undefined
      run.lastExit = code ?? 137
      run.restarts++
      run.nextStart = systemClock.monotonic() + RESTART_MS * 2 ** Math.min(run.restarts, 4)
    })
  }
  const errors: string[] = []

  const settlePod = async (pod: PodObject) => {
    const { name, uid = '', deletionTimestamp } = pod.metadata
    const run = runs.get(uid) ?? {
      uid,
      ip: `127.${block}.${addresses >> 7}.${(addresses++ & 127) + 1}`,
      restarts: 0,
      nextStart: 0,
    }
    runs.set(uid, run)

    if (deletionTimestamp) {
      if (run.child) {
        if (!run.ending) run.child.kill('SIGTERM')
        run.ending = true
        return
      }
      if (run.ending && run.goneAt === undefined) {
        run.goneAt = systemClock.monotonic() + END_SHOWN_MS
        await reportEnd(pod, run)
      }
      if (run.goneAt !== undefined && systemClock.monotonic() < run.goneAt) return
      const body = { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0, preconditions: { uid } }
      await absentOn404(client.request({ method: 'DELETE', path: pathOf(kinds.pod, namespace, name), body }))
      runs.delete(uid)
      return
    }
    if (pod.spec.nodeName === undefined) {
      const selected = Object.entries(pod.spec.nodeSelector ?? {})
      if (!selected.every(([key, value]) => labels[key] === value)) return reportUnschedulable(pod, run)
      const target = { apiVersion: 'v1', kind: 'Node', name: 'test-node' }
      const body = { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target }
      await absentOn404(client.request({ method: 'POST', path: `${pathOf(kinds.pod, namespace, name)}/binding`, body }))
    }
    if (run.child === undefined && systemClock.monotonic() >= run.nextStart) await start(pod, run)
    await report(pod, run)
  }

  const report = async (pod: PodObject, run: Run) => {
    const [{ image, env = [] }] = pod.spec.containers
    const port = Number(env.find(({ name }) => name === 'SVC_PROBE_PORT')?.value)
    const ready = run.child !== undefined && (await probes(run.ip, port))
    if (run.turned?.ready !== ready) run.turned = { ready, at: new Date().toISOString().replace(/\.\d+/, '') }
    const waiting = images.has(image)
      ? { reason: 'CrashLoopBackOff', message: 'back-off' }
      : { reason: 'ErrImageNeverPull', message: `${image} is not there` }
    const status = {
      phase: run.child ? 'Running' : 'Pending',
      podIP: run.ip,
      podIPs: [{ ip: run.ip }],
      conditions: [
        { type: 'PodScheduled', status: 'True' },
        { type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: run.turned.at },
      ],
      containerStatuses: [
        {
          name: 'svcd',
          image,
          imageID: '',
          ready,
          restartCount: run.restarts,
          state: run.child ? { running: { startedAt: run.startedAt } } : { waiting },
          lastState: run.lastExit === undefined ? {} : { terminated: endOf(run.lastExit) },
        },
      ],
    }
    const told = JSON.stringify(status)
    if (run.told === told) return
    await patchStatus(kinds.pod, pod.metadata.name, status)
    run.told = told
  }

  /** A scheduler reports that no node has the labels that a pod selects. */
  const reportUnschedulable = async (pod: PodObject, run: Run) => {
    if (run.told === 'Unschedulable') return
    const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes' }
    await patchStatus(kinds.pod, pod.metadata.name, { phase: 'Pending', conditions: [condition] })
    run.told = 'Unschedulable'
  }

  /** A node reports how the containers of a pod ended before it releases the pod. */
  const reportEnd = (pod: PodObject, { lastExit = 0, restarts }: Run) =>
    patchStatus(kinds.pod, pod.metadata.name, {
      phase: lastExit === 0 ? 'Succeeded' : 'Failed',
      conditions: [
        { type: 'PodScheduled', status: 'True' },
        { type: 'Ready', status: 'False' },
      ],
      containerStatuses: [
        {
          name: 'svcd',
          image: pod.spec.containers[0].image,
          imageID: '',
          ready: false,
          restartCount: restarts - 1,
          state: { terminated: endOf(lastExit) },
          lastState: {},
        },
      ],
    })

  /** Mounted Secrets follow their object, as on a node but sooner. */
  const refreshMounts = async (pod: PodObject) => {
    if (runs.get(pod.metadata.uid ?? '')?.child) await mount(pod).catch(() => {})
  }

  const loop = async () => {
    for (let round = 0; !stop.signal.aborted; round++) {
      for (const object of seen.values()) {
        const isPod = 'containers' in ((object as PodObject).spec ?? {})
        const settled = isPod ? settlePod(object as PodObject) : settleClaim(object as Claim)
        await settled.catch((error: Error) => errors.push(error.message))
        if (isPod && round % 5 === 0) await refreshMounts(object as PodObject)
      }
      await systemClock.sleep(EVERY_MS, stop.signal).catch(() => {})
    }
  }

  for (const reflector of reflectors) reflector.start()
  const running = loop()
  return {
    /** Every start of a process, in order. */
    started,
    /** Labels of the node, by which pods select it. */
    labels,
    /** Problems, to explain a failed test. */
    errors,
    volumeOf: (claim: string) => join(folder, claim),
    /** Ends the process of a pod: as a crash does, or gracefully but without a request from the API. */
    kill(podName: string, signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): void {
      const pod = [...seen.values()].find(
        ({ metadata, spec }: KubeObject & { spec?: object }) =>
          metadata.name === podName && spec && 'containers' in spec,
      )
      runs.get(pod?.metadata.uid ?? '')?.child?.kill(signal)
    },
    async stop(): Promise<void> {
      stop.abort()
      await running
      for (const reflector of reflectors) await reflector.stop()
      const children = [...runs.values()].flatMap(({ child }) => (child ? [child] : []))
      await Promise.all(
        children.map((child) => new Promise((resolve) => child.once('exit', resolve) && child.kill('SIGKILL'))),
      )
    },
    exists: (path: string) =>
      stat(path).then(
        () => true,
        () => false,
      ),
  }
}

const endOf = (exitCode: number) => ({ exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' })

function probes(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = request({ host, port, path: '/ready', timeout: 1_000 }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    probe.on('error', () => resolve(false))
    probe.end()
  })
}
