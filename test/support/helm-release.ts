import { connect, createServer, type Server } from 'node:net'
import { once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { Exec, type V1Status } from '@kubernetes/client-node'
import { loadKubeConfig } from '@svc/kube/src/kube-config.ts'
import type { KubeObject } from '@svc/kube/src/kinds.ts'
import { clusterClient } from './cluster-access.ts'
import { merged, type Values } from './chart-values.ts'
import { chartFolder, helmProgram, helmRun } from './helm.ts'
import { untilMailed } from './mailbox.ts'
import { freePort } from './free-port.ts'
import { until } from './until.ts'

export const SYSTEM = 'svc-helm'
export const DAEMONS = 'svc-helm-daemons'
const RELEASE = 'svc'

type Listed = KubeObject & { status: { phase?: string }; data?: Record<string, string> }
type Service = KubeObject & { spec: { clusterIP: string } }

/** Images of the platform on the node, by digest. */
export function platformImages() {
  const [current = '', next = '', operator = '', trial = ''] = (process.env.SVC_CLUSTER_PLATFORM_IMAGES ?? '').split(
    ' ',
  )
  if (trial === '') throw new Error('SVC_CLUSTER_PLATFORM_IMAGES is not set: npm run test:cluster sets it.')
  const digest = (image: string) => image.split('@')[1]!
  return { current: digest(current), next: digest(next), operator: digest(operator), trial }
}

/** A release of svc-platform as the person who runs it sees it: through Helm and the cluster. */
export async function helmRelease({ kubeconfig, daemonImage }: { kubeconfig: string; daemonImage: string }) {
  const helm = await helmProgram(3)
  const client = clusterClient(kubeconfig)
  const images = platformImages()
  const [api, gateway, dialIn] = [await freePort(), await freePort(), await freePort()]
  const origin = `http://localhost:${api}`
  const least: Values = {
    imageRegistry: 'localhost',
    baseUrl: origin,
    vaultOriginTemplate: `http://{label}.localhost:${gateway}`,
    controlPlane: { environment: 'test', image: { digest: images.current } },
    web: { replicas: 2, resources: { requests: { cpu: '50m' } } },
    worker: { replicas: 1, resources: { requests: { cpu: '50m' } } },
    operator: { image: { digest: images.operator } },
    trial: {
      postgres: { enabled: true, image: images.trial, storage: '512Mi' },
      valkey: { enabled: true, image: images.trial, program: 'redis-server', storage: '320Mi' },
    },
    daemons: {
      namespace: DAEMONS,
      image: { digest: daemonImage.split('@')[1]! },
      storage: { size: '64Mi' },
      memory: '256Mi',
      dns: { cidr: '10.89.0.2/32' }, // the DNS of the node is not a pod
    },
  }
  const run = (...args: string[]) => helmRun(helm, [...args, '--namespace', SYSTEM], { kubeconfig })
  const list = async (kind: string, namespace: string, labels = '') => {
    const path = `/api/v1/namespaces/${namespace}/${kind}`
    return (await client.request<{ items: Listed[] }>({ method: 'GET', path, query: { labelSelector: labels } })).items
  }

  const runIn = async (component: string, command: string[], input = ''): Promise<string> => {
    const [pod] = await list('pods', SYSTEM, `app.kubernetes.io/component=${component}`)
    const [out, err] = [new PassThrough(), new PassThrough()]
    const said = Promise.all([text(out), text(err)])
    const ended = new Promise<V1Status>((resolve, reject) => {
      new Exec(loadKubeConfig(kubeconfig))
        .exec(
          SYSTEM,
          pod!.metadata.name,
          '',
          command,
          out,
          err,
          input === '' ? null : Readable.from([input]),
          false,
          resolve,
        )
        .catch(reject)
    })
    const status = await ended
    out.end()
    err.end()
    const [answer, complaint] = await said
    if (status.status !== 'Success') throw new Error(`${command[0]}: ${status.message}: ${complaint} ${answer}`)
    return answer
  }

  return {
    origin,
    ports: { api, gateway, dialIn },
    images,
    list,
    values: (change: Values = {}) => merged(least, change),
    apply: (values: Values) =>
      helmRun(
        helm,
        [
          'upgrade',
          '--install',
          RELEASE,
          chartFolder('svc-platform'),
          '--namespace',
          SYSTEM,
          '--take-ownership',
          '--values',
          '-',
          '--wait',
          '--timeout',
          '5m',
        ],
        { kubeconfig, input: JSON.stringify(values) },
      ),
    /** A daemon of its own organization, installed in the same cluster as a self-hoster does. */
    applyDaemon: (values: Values) =>
      helmRun(
        helm,
        [
          'upgrade',
          '--install',
          'notes',
          chartFolder('svcd'),
          '--namespace',
          SYSTEM,
          '--values',
          '-',
          '--wait',
          '--timeout',
          '3m',
        ],
        { kubeconfig, input: JSON.stringify(values) },
      ),
    testDaemon: () => run('test', 'notes'),
    removeDaemon: () => run('uninstall', 'notes', '--wait'),
    test: () => run('test', RELEASE, '--logs'),
    rollback: (revision: number) => run('rollback', RELEASE, String(revision), '--wait', '--timeout', '5m'),
    uninstall: () => run('uninstall', RELEASE, '--wait', '--timeout', '3m'),

    /**
     * Forwards the origins of this machine to the release's Service, as an ingress would; returns the function that
     * stops it.
     */
    async lead(): Promise<() => void> {
      const path = `/api/v1/namespaces/${SYSTEM}/services/svc-svc-platform`
      const { spec } = await client.request<Service>({ method: 'GET', path })
      const servers = [
        await forward(api, { host: spec.clusterIP, port: 7380 }),
        await forward(gateway, { host: spec.clusterIP, port: 7390 }),
        await forward(dialIn, { host: spec.clusterIP, port: 7391 }),
      ]
      return () => servers.forEach((server) => server.close())
    },

    /** Runs a command in a web pod and returns its output. */
    inWeb: (...command: string[]) => runIn('web', command),
    /** Runs a shell command in the pod of the trial database. */
    inDatabase: (command: string, input = '') => runIn('trial-postgres', ['/bin/sh', '-c', command], input),
    /** Stops the platform except its database, as `kubectl scale --replicas 0` does; the next `apply` starts it. */
    async stopServing(): Promise<void> {
      for (const component of ['web', 'worker', 'operator'])
        await client.request({
          method: 'PATCH',
          patch: 'merge',
          path: `/apis/apps/v1/namespaces/${SYSTEM}/deployments/${RELEASE}-svc-platform-${component}/scale`,
          body: { spec: { replicas: 0 } },
        })
      const serving = async () =>
        list('pods', SYSTEM, 'app.kubernetes.io/component in (web,worker,operator)').then(({ length }) => length)
      await until('the platform has stopped', async () => (await serving()) === 0, { withinMs: 180_000, everyMs: 250 })
    },

    /** Without a mail server the release keeps its mails in the trial database. */
    mailbox: (address: string) =>
      untilMailed(address, async () => {
        const query = `select link from outbox where recipient = '${address}' order by id desc limit 1`
        const psql = `PGPASSWORD=$(cat /var/run/svc/password) psql -h 127.0.0.1 -U svc -d svc -tAc "${query}"`
        const link = (await runIn('trial-postgres', ['/bin/sh', '-c', psql])).trim()
        return link === '' ? undefined : { link }
      }),
  }
}

async function forward(port: number, target: { host: string; port: number }): Promise<Server> {
  const server = createServer((taken) => {
    const made = connect(target)
    taken.pipe(made).pipe(taken)
    for (const [one, other] of [
      [taken, made],
      [made, taken],
    ] as const)
      one.on('error', () => other.destroy())
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}
