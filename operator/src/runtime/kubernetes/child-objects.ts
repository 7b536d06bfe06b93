import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { FIELD_MANAGER } from '../../managed-daemon/names.ts'
import type { Pod } from '../../managed-daemon/pod-machine.ts'
import { kinds, pathOf, type Kind, type KubeObject } from '@svc/kube/src/kinds.ts'
import type { KubeClient } from '@svc/kube/src/kube-client.ts'
import { absentOn404 } from '@svc/kube/src/kube-error.ts'
import { Reflector } from '@svc/kube/src/reflector.ts'
import type { ReflectorTiming } from '@svc/kube/src/reflector-options.ts'
import type { News } from '../runtime.ts'
import { trimChild, trimPod, type ChildObject } from './trim-objects.ts'

export type ChildKind = 'statefulSet' | 'volumeClaim' | 'service' | 'serviceAccount' | 'networkPolicy'

export type ChildObjectsOptions = {
  client: KubeClient
  clock: Clock
  log: Log
  random: () => number
  namespace: string
  timing?: Partial<ReflectorTiming>
}

const OURS = `app.kubernetes.io/managed-by=${FIELD_MANAGER}`
const INSTANCE = 'app.kubernetes.io/instance'

/** The children of all daemons: read from watches, and from the API itself before anything counts as absent. */
export function createChildObjects(options: ChildObjectsOptions) {
  const { client, namespace } = options
  const listeners = new Set<(name: string, news: News) => void>()

  const tell = (object: KubeObject, news: News) => {
    const name = object.metadata.labels?.[INSTANCE]
    if (name !== undefined) for (const listener of listeners) listener(name, news)
  }
  const follow = <T extends KubeObject>(kind: Kind, trim: (object: T) => T) => {
    const reflector: Reflector<T> = new Reflector<T>({
      ...options,
      kind,
      labels: OURS,
      trim,
      onEvent: (event) => {
        if (event.type !== 'synced') tell(event.object, reflector.hasSynced ? 'changed' : 'listed')
      },
    })
    return reflector
  }

  const reflectors = {
    statefulSet: follow<ChildObject>(kinds.statefulSet, trimChild),
    volumeClaim: follow<ChildObject>(kinds.volumeClaim, trimChild),
    service: follow<ChildObject>(kinds.service, trimChild),
    serviceAccount: follow<ChildObject>(kinds.serviceAccount, trimChild),
    networkPolicy: follow<ChildObject>(kinds.networkPolicy, trimChild),
  }
  const pods = follow<Pod>(kinds.pod, trimPod)
  const all = [...Object.values(reflectors), pods]
  const readPod = (name: string) =>
    absentOn404(client.request<Pod>({ method: 'GET', path: pathOf(kinds.pod, namespace, name) }))

  return {
    start: () => all.forEach((reflector) => reflector.start()),
    stop: async () => void (await Promise.all(all.map((reflector) => reflector.stop()))),
    hasSynced: () => all.every((reflector) => reflector.hasSynced),
    missedEvents: () => all.reduce((sum, { missedEvents }) => sum + missedEvents, 0),

    async find(kind: ChildKind, name: string): Promise<ChildObject | undefined> {
      const seen = reflectors[kind].find(name)
      return (
        seen ?? absentOn404(client.request<ChildObject>({ method: 'GET', path: pathOf(kinds[kind], namespace, name) }))
      )
    },
    async findPod(name: string): Promise<Pod | undefined> {
      return pods.find(name) ?? readPod(name)
    },
    /** Reads a pod again whose version proved old: the watch lags, and every pass would act on the same state. */
    async refreshPod({ metadata: { name, uid } }: Pod): Promise<void> {
      const read = await readPod(name)
      const seen = pods.find(name)
      // The watch knows more by now, or every pass reads from the API anyway.
      if (seen === undefined || seen.metadata.uid !== uid) return
      if (read !== undefined && read.metadata.uid === uid) pods.accept(read)
      else pods.forget(seen)
    },
    /** Stores the response to a write, so that the next pass does not act on an older state. */
    wrote: (kind: ChildKind, object: ChildObject) => reflectors[kind].accept(object),
    wrotePod: (pod: Pod) => pods.accept(pod),
    /** The pod is gone: the next pass asks the API whether there is another. */
    lostPod: (pod: Pod) => pods.forget(pod),
    onNews(listener: (name: string, news: News) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

export type ChildObjects = ReturnType<typeof createChildObjects>
