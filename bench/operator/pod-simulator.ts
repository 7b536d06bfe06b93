import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { systemClock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { PROBE_TOKEN_FILE, relayKeyFiles, type DaemonStatus } from '@svc/shared/wire/daemon/daemon-status.ts'
import { kinds, pathOf, type Kind, type KubeObject } from '@svc/kube/src/kinds.ts'
import type { KubeClient } from '@svc/kube/src/kube-client.ts'
import { Reflector } from '@svc/kube/src/reflector.ts'
import type { ReflectorEvent } from '@svc/kube/src/reflector-options.ts'

type Claim = KubeObject & {
  spec: { resources: { requests: { storage: string } } }
  status?: { capacity?: { storage: string } }
}
type Pod = KubeObject & { spec: { containers: [{ name: string; image: string }] } }
type Secret = KubeObject & { data?: Record<string, string> }

export type PodSimulatorOptions = { client: KubeClient; log: Log; namespace: string; probePort: number }

const UPDATE_MS = 200

/**
 * The nodes of the bench: a claim is bound once it exists, and a pod is ready once its volume and Secret exist. Each
 * pod has an address of its own on the loopback network, where its status listener responds as svcd does.
 */
export function startPodSimulator({ client, log, namespace, probePort }: PodSimulatorOptions) {
  const listeners = new Map<string, Server>()
  const secrets = new Map<string, Record<string, string>>()
  const bound = new Set<string>()
  let addresses = 0

  const follow = <T extends KubeObject>(kind: Kind, onUpsert: (object: T) => void) => {
    const onEvent = (event: ReflectorEvent<T>) => {
      if (event.type === 'upserted') onUpsert(event.object)
    }
    const options = { client, clock: systemClock, log, random: Math.random, kind, namespace, onEvent }
    return new Reflector<T>({ ...options, trim: (object) => object })
  }
  const tell = async (kind: Kind, name: string, status: object) => {
    const path = `${pathOf(kind, namespace, name)}/status`
    await client.request({ method: 'PATCH', patch: 'merge', path, body: { status } })
  }
  const attempt = (what: string, work: () => Promise<void>) =>
    void work().catch((error: unknown) => log.error({ err: error, what }, 'the simulator failed'))

  const bind = ({ metadata, spec, status }: Claim) => {
    const { storage } = spec.resources.requests
    if (status?.capacity?.storage === storage) return void bound.add(metadata.name)
    attempt('claim', () => tell(kinds.volumeClaim, metadata.name, { phase: 'Bound', capacity: { storage } }))
  }

  const start = (pod: Pod) => {
    const { name, uid = '' } = pod.metadata
    if (listeners.has(uid)) return
    const daemon = name.replace(/-0$/, '')
    const secretName = `${daemon}-relay`
    const server = createServer((request, response) => {
      const mounted = (file: string) => Buffer.from(secrets.get(secretName)?.[file] ?? '', 'base64').toString()
      const token = mounted(PROBE_TOKEN_FILE)
      if (token === '' || request.headers.authorization !== `Bearer ${token}`) return void response.writeHead(401).end()
      const now = systemClock.now().toISOString()
      const status: DaemonStatus = {
        version: '1.0.0',
        ready: true,
        relay: { connected: true, keyGeneration: Number(mounted(relayKeyFiles.generation)) },
        storage: { usedBytes: 2 ** 20, freeBytes: 2 ** 25 },
        durableAsOf: now,
      }
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(request.method === 'POST' ? { durableAsOf: now } : status))
    })
    listeners.set(uid, server)
    attempt('pod', async () => {
      const ip = `127.${64 + (addresses >> 14)}.${(addresses >> 7) & 127}.${(addresses++ & 127) + 1}`
      server.listen(probePort, ip)
      await once(server, 'listening')
      const canMount = () => bound.has(`${daemon}-home`) && secrets.get(secretName)?.[relayKeyFiles.token] !== undefined
      while (!canMount()) await systemClock.sleep(UPDATE_MS)
      const startedAt = `${systemClock.now().toISOString().slice(0, 19)}Z`
      const [{ name: container, image }] = pod.spec.containers
      await tell(kinds.pod, name, {
        phase: 'Running',
        podIP: ip,
        podIPs: [{ ip }],
        conditions: [
          { type: 'PodScheduled', status: 'True' },
          { type: 'Ready', status: 'True' },
        ],
        containerStatuses: [
          { name: container, image, imageID: '', ready: true, restartCount: 0, state: { running: { startedAt } } },
        ],
      })
    })
  }

  const reflectors = [
    follow<Secret>(kinds.secret, ({ metadata, data = {} }) => void secrets.set(metadata.name, data)),
    follow<Claim>(kinds.volumeClaim, bind),
    follow<Pod>(kinds.pod, start),
  ]
  for (const reflector of reflectors) reflector.start()
  return async () => {
    await Promise.all(reflectors.map((reflector) => reflector.stop()))
    for (const server of listeners.values()) server.close().closeAllConnections()
  }
}
