import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'
import type { KubeClient } from '@svc/kube/src/kube-client.ts'
import { kinds, pathOf, type KubeObject } from '@svc/kube/src/kinds.ts'
import { absentOn404 } from '@svc/kube/src/kube-error.ts'
import { listAll } from '@svc/kube/src/list-all.ts'
import type { Values } from './chart-values.ts'
import { applyObject, clusterClient, deleteObject } from './cluster-access.ts'
import { openCluster } from './cluster.ts'
import { DAEMONS, helmRelease, SYSTEM } from './helm-release.ts'
import { createPerson, PASSWORD } from './person.ts'
import { until } from './until.ts'

const ADMIN = 'helm-admin@example.org'
const TOKEN = 'image-token-of-the-journeys-0123456789'
const AUTOMATION = 'automation'
const program = fileURLToPath(new URL('../../control-plane/bin/svc-admin.js', import.meta.url))

const namespace = (name: string): KubeObject & { apiVersion: string; kind: string } => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
})

/** A platform that Helm installed into restricted namespaces, with a system admin. Each journey has one of its own. */
export type HelmPlatform = Awaited<ReturnType<typeof helmPlatform>>

export type Secrets = Record<string, Record<string, string>>

/** Installs the platform with the Secrets that its values refer to, and creates its system admin. */
export async function helmPlatform(change: Values = {}, secrets: Secrets = {}) {
  const { kubeconfig, images } = inject('cluster')
  const client = clusterClient(kubeconfig)
  await clearRelease(client)
  const prepare = async () => {
    await makeSystemNamespace(client)
    for (const [name, stringData] of Object.entries({ [AUTOMATION]: { token: TOKEN }, ...secrets }))
      await applyObject(client, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name, namespace: SYSTEM },
        stringData,
      } as KubeObject)
  }
  await prepare()

  const release = await helmRelease({ kubeconfig, daemonImage: images.first })
  const values = release.values({ imageToken: { existingSecret: AUTOMATION }, ...change })
  await release.apply(values)
  let stopLeading = await release.lead()
  const admin = createPerson(release.origin, release.mailbox)
  await claimPlatform(release, admin)
  const { origin, mailbox } = release
  const cluster = openCluster({ origin, mailbox, admin: [...admin.cookies] }, DAEMONS)

  return {
    release,
    cluster,
    images,
    admin,

    /** Runs `svc-admin` on this machine as the admin of the platform; returns its exit code and output. */
    async svcAdmin(...args: string[]): Promise<Printed> {
      const env = {
        PATH: process.env.PATH,
        SVC_ADMIN_URL: origin,
        SVC_ADMIN_PASSWORD: PASSWORD,
        MANAGED_DAEMON_ADMIN_TOKEN: TOKEN,
      }
      const isByToken = args.slice(0, 2).join(' ') === 'image roll'
      const child = spawn(process.execPath, [program, ...args, ...(isByToken ? [] : ['--email', ADMIN])], { env })
      const said = Promise.all([text(child.stdout), text(child.stderr)])
      const [code] = (await once(child, 'close')) as [number | null]
      const [stdout, stderr] = await said
      return { code, body: stdout === '' ? undefined : JSON.parse(stdout), stderr }
    },

    /** Deletes the platform and all daemons with every volume at once, as the loss of a cluster does. */
    async lose(): Promise<void> {
      stopLeading()
      await clearRelease(client)
    },

    /** Installs the platform again with the same values and Secrets, and with the given objects. */
    async installAgain(kept: KubeObject[]): Promise<void> {
      await prepare()
      for (const object of kept) await applyObject(client, object)
      await release.apply(values)
    },

    /** Upgrades the platform with the same values, which starts stopped components, and connects to it. */
    async startAgain(): Promise<void> {
      await release.apply(values)
      stopLeading = await release.lead()
    },

    async remove(): Promise<void> {
      await removeDaemonsByRelease(client)
      stopLeading()
      await release.uninstall()
      await clearRelease(client)
    },
  }
}

export type Printed = { code: number | null; body: any; stderr: string } // eslint-disable-line typescript/no-explicit-any

/** Makes the first person with the setup link a system admin. */
export async function claimPlatform(release: Release, admin: ReturnType<typeof createPerson>): Promise<void> {
  const { setupLink } = JSON.parse(await release.inWeb('svc-admin', 'bootstrap')) as { setupLink: string }
  await admin.signUp({ email: ADMIN })
  const claimed = await admin.post('/api/setup/claim', { token: new URL(setupLink).hash.slice(1) })
  if (claimed.status !== 200) throw new Error(`nobody became system admin: ${claimed.text}`)
}

type Release = Awaited<ReturnType<typeof helmRelease>>

export const makeSystemNamespace = (client: KubeClient) => applyObject(client, namespace(SYSTEM))

const daemonsOf = async (client: KubeClient) =>
  (await listAll<KubeObject>(client, { kind: kinds.managedDaemon, namespace: DAEMONS })).items
const daemonPath = (name: string) => pathOf(kinds.managedDaemon, DAEMONS, name)

/** Deletes all hosted daemons while the operator of the release runs, which releases their children. */
export async function removeDaemonsByRelease(client: KubeClient): Promise<void> {
  for (const { metadata } of await daemonsOf(client))
    await absentOn404(client.request({ method: 'DELETE', path: daemonPath(metadata.name) }))
  const areGone = async () => (await daemonsOf(client)).length === 0
  await until('the daemons are gone', areGone, { withinMs: 120_000, everyMs: 500 })
}

/** Removes what a release left behind. Also works for an interrupted run whose operator is gone. */
export async function clearRelease(client: KubeClient): Promise<void> {
  for (const name of [SYSTEM, DAEMONS])
    await absentOn404(client.request({ method: 'DELETE', path: `/api/v1/namespaces/${name}` }))
  for (const { metadata } of (await absentOn404(daemonsOf(client))) ?? [])
    await absentOn404(
      client.request({
        method: 'PATCH',
        patch: 'merge',
        path: daemonPath(metadata.name),
        body: { metadata: { finalizers: null } },
      }),
    )
  for (const name of [SYSTEM, DAEMONS]) await deleteObject(client, namespace(name))
}
