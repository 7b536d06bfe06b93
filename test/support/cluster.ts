import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { Exec, type V1Status } from '@kubernetes/client-node'
import { inject } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { Secret } from '@svc/shared/kit/secret.ts'
import { findCondition, managedDaemonName, type ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import type { SpecPatch } from '@svc/shared/wire/managed-daemon-store.ts'
import { loadKubeConfig } from '@svc/kube/src/kube-config.ts'
import { kinds, pathOf, type Kind, type KubeObject } from '@svc/kube/src/kinds.ts'
import { absentOn404 } from '@svc/kube/src/kube-error.ts'
import { managedDaemonKubeStore } from '@svc/kube/src/managed-daemon-kube-store.ts'
import { openDatabase } from '../../control-plane/src/db/database.ts'
import { changeSpec } from './change-spec.ts'
import { clusterClient, DAEMONS } from './cluster-access.ts'
import type { ClusterPlatform } from './cluster-platform.ts'
import { databaseMailbox, type Mailbox } from './mailbox.ts'
import { createPerson, sendRaw, type Answer, type Person } from './person.ts'
import { until } from './until.ts'

export type Hosted = { id: string; slug: string; title: string; name: string; pod: string; volume: string }
export type ClusterPod = KubeObject & {
  spec: { nodeName: string; containers: { image: string }[] }
  status: { podIP: string; containerStatuses: { restartCount: number; state: { running?: { startedAt: string } } }[] }
}
export type VolumeClaim = KubeObject & { spec: { volumeName: string } }

/** Ready as the resource itself reports it: running, on the newest spec, and not progressing. */
export const settled = ({ status, generation }: ManagedDaemon): boolean =>
  status.observedState === 'running' &&
  status.observedGeneration === generation &&
  findCondition(status, 'Progressing')?.status === 'False'

/** The cluster with the platform beside it, or with another platform, as the tests use them. */
export function openCluster(other: Partial<ClusterPlatform> & { mailbox?: Mailbox } = {}, daemons = DAEMONS) {
  const platform = { ...inject('cluster'), ...other }
  const mailbox = other.mailbox ?? mailboxAt(platform.database)
  const { kubeconfig, origin } = platform
  const client = clusterClient(kubeconfig)
  const store = managedDaemonKubeStore({
    client,
    clock: systemClock,
    log: createLog({ service: 'test', level: 'silent' }),
    random: Math.random,
    namespace: daemons,
    fieldManager: 'svc-test',
  })
  const get = <T extends KubeObject>(kind: Kind, name: string, namespace = daemons) =>
    absentOn404(client.request<T>({ method: 'GET', path: pathOf(kind, namespace, name) }))

  const reaches = async (name: string, what: string, holds: (daemon: ManagedDaemon) => boolean, withinMs = 180_000) => {
    let last: ManagedDaemon | undefined
    const look = async () => (last = await store.find(name).catch(() => undefined)) !== undefined && holds(last)
    await until(what, look, { withinMs, everyMs: 200 }).catch((error: Error) => {
      throw new Error(`${error.message}\n${JSON.stringify(last?.status, null, 1)}`, { cause: error })
    })
    return last!
  }
  const admin = (): Person => {
    const person = createPerson(origin)
    for (const [name, value] of platform.admin) person.cookies.set(name, value)
    return person
  }

  return {
    ...platform,
    client,
    store,
    get,
    reaches,
    admin,
    pod: async (org: Hosted) => (await get<ClusterPod>(kinds.pod, org.pod))!,
    volume: (org: Hosted) => get<VolumeClaim>(kinds.volumeClaim, org.volume),

    /** Patches a spec as `kubectl patch` does. */
    patch: (name: string, change: SpecPatch) => changeSpec(store, name, change),

    /** A person with a hosted organization whose daemon runs. */
    async hosted(title: string): Promise<{ person: Person; org: Hosted }> {
      const person = createPerson(origin, mailbox)
      await person.signUp({ email: `${title.toLowerCase().replaceAll(' ', '.')}@example.org` })
      const { status, body, text } = await person.post('/api/provisioning/orgs/cloud-hosted/comped', { name: title })
      if (status !== 201) throw new Error(`no organization was made: ${text}`)
      const { id, slug } = body.organization as { id: string; slug: string }
      const name = managedDaemonName(id)
      await until('the resource is made', async () => (await store.find(name)) !== undefined)
      await reaches(name, `${title} runs`, settled)
      return { person, org: { id, slug, title, name, pod: `${name}-0`, volume: `${name}-home` } }
    },

    /** Enters the vault as the web app does; waits while the daemon wakes. Returns a browser on the vault's origin. */
    async enter(person: Person, org: Hosted, vault = 'demo-vault'): Promise<Person> {
      let minted: Answer | undefined
      const isMinted = async () => {
        minted = await person.post(`/api/orgs/${org.slug}/vaults/${vault}/entry`)
        if (![200, 503, 504].includes(minted.status)) throw new Error(`nobody enters: ${minted.text}`)
        return minted.status === 200
      }
      await until('the vault can be entered', isMinted, { withinMs: 180_000, everyMs: 250 })
      const { url, assertion } = minted!.body.entry as { url: string; assertion: string }
      const vaultOrigin = new URL(url).origin
      const headers = { origin, 'content-type': 'application/x-www-form-urlencoded' }
      const body = new URLSearchParams({ assertion }).toString()
      const entered = await sendRaw(vaultOrigin, { method: 'POST', path: new URL(url).pathname, headers, body })
      if (entered.status !== 303) throw new Error(`nobody enters: ${entered.status} ${entered.text}`)
      const [cookie, value] = entered.headers['set-cookie']![0]!.split(';')[0]!.split('=') as [string, string]
      const browser = createPerson(vaultOrigin)
      browser.cookies.set(cookie, value)
      return browser
    },

    /** Runs JavaScript in a pod with the pod's own Node, and returns the JSON that it prints. */
    async evaluate<T>(source: string, { pod, namespace = daemons }: { pod: string; namespace?: string }): Promise<T> {
      const [out, err] = [new PassThrough(), new PassThrough()]
      const said = Promise.all([text(out), text(err)])
      const ended = new Promise<V1Status>((resolve, reject) => {
        new Exec(loadKubeConfig(kubeconfig))
          .exec(namespace, pod, '', ['node', '--input-type=module', '-e', source], out, err, null, false, resolve)
          .catch(reject)
      })
      const status = await ended
      out.end()
      err.end()
      const [answer, complaint] = await said
      if (status.status !== 'Success') throw new Error(`${status.message}: ${complaint}`)
      return JSON.parse(answer) as T
    },
  }
}

/** Connects for each query: the cluster tests read few mails and close nothing. */
const mailboxAt =
  (database: string): Mailbox =>
  async (address) => {
    const log = createLog({ service: 'test', level: 'warn' })
    const { db, close } = openDatabase({ url: new Secret(database), log, max: 1 })
    return databaseMailbox(db)(address).finally(close)
  }

export type Cluster = ReturnType<typeof openCluster>

/** Sends one audited operation until it is no longer in progress; the same operationId returns the same outcome. */
export async function untilDecided(send: () => Promise<Answer>): Promise<Answer> {
  let answer = await send()
  const isDecided = async () => {
    if (answer.status !== 409 && answer.status !== 503 && answer.status !== 202) return true
    answer = await send()
    return false
  }
  await until('the operation is decided', isDecided, { withinMs: 150_000, everyMs: 500 })
  return answer
}
