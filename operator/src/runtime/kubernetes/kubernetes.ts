import { ORG_ID_LABEL, type ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import { fixtures, ownerReference, type ChildSettings } from '../../managed-daemon/children.ts'
import { childNames, COMPONENT_LABEL, inputHashOf } from '../../managed-daemon/names.ts'
import type { Children, ImageVerdict, Machine } from '../../managed-daemon/observed.ts'
import { isDaemonRunning, podMachine, type Pod } from '../../managed-daemon/pod-machine.ts'
import { heldKeys } from '../../managed-daemon/relay-key.ts'
import type { KubeObject } from '@svc/kube/src/kinds.ts'
import { kubeQuantityBytes } from './kube-quantity.ts'
import { createChildObjects, type ChildObjectsOptions } from './child-objects.ts'
import type { ChildObject } from './trim-objects.ts'
import { createKubernetesSteps } from './kubernetes-steps.ts'
import { createPodAbsences } from './pod-absences.ts'
import { createRelaySecrets, type RelaySecret } from './relay-secret.ts'
import type { Runtime } from '../runtime.ts'
import { createSilentPods } from './silent-pods.ts'
import type { StatusClient } from './status-client.ts'
import { imageOf, isCurrent, templateImage, templateOf } from './workload-template.ts'

export type KubernetesRuntimeOptions = ChildObjectsOptions & {
  settings: ChildSettings
  statusClient: StatusClient
  checkImage: (image: string) => ImageVerdict
}

export type KubernetesRuntime = Runtime & {
  start(): void
  stop(): Promise<void>
  hasSynced(): boolean
  missedEvents(): number
}

/** Managed daemons as StatefulSets of one pod, with their other objects, in one namespace. */
export function kubernetesRuntime(options: KubernetesRuntimeOptions): KubernetesRuntime {
  const { client, clock, namespace, settings, statusClient, checkImage } = options
  const objects = createChildObjects(options)
  const secrets = createRelaySecrets({ client, namespace })
  const absences = createPodAbsences({ clock, namespace })
  const silent = createSilentPods({ clock })

  const find = async (daemon: ManagedDaemon) => {
    const names = childNames(daemon.name)
    const [statefulSet, volumeClaim, service, serviceAccount, networkPolicy, pod, secret] = await Promise.all([
      objects.find('statefulSet', names.workload),
      objects.find('volumeClaim', names.volume),
      objects.find('service', names.service),
      objects.find('serviceAccount', names.serviceAccount),
      objects.find('networkPolicy', names.networkPolicy),
      objects.findPod(names.machine),
      secrets.read(daemon),
    ])
    return { statefulSet, volumeClaim, service, serviceAccount, networkPolicy, pod, secret }
  }
  const askAt = (pod: Pod | undefined, secret: RelaySecret | undefined) => {
    const ip = pod?.status?.podIP
    return ip && secret ? { ip, port: settings.probePort, token: secret.probeToken } : undefined
  }

  const workloadOf = (found: ChildObject, daemon: ManagedDaemon): Children['workload'] => ({
    name: found.metadata.name,
    image: templateImage(found),
    running: (found.spec?.replicas ?? 0) > 0,
    outdated: !isCurrent(found, daemon, settings),
  })

  const machineOf = async (pod: Pod, secret: RelaySecret | undefined): Promise<Machine> => {
    const machine = podMachine(pod, clock.now())
    // The node of a lost pod does not respond, whatever the pod last said of its container.
    const target = machine.state !== 'lost' && isDaemonRunning(pod) ? askAt(pod, secret) : undefined
    const daemon = target && (await silent.ask(pod, () => statusClient.status(target)))
    return { ...machine, daemon }
  }

  const flush = async (daemon: ManagedDaemon) => {
    const [pod, secret] = await Promise.all([objects.findPod(childNames(daemon.name).machine), secrets.read(daemon)])
    const target = askAt(pod, secret)
    if (target === undefined) throw new Error('the daemon has no address to be asked at')
    await statusClient.flush(target)
  }
  const execute = createKubernetesSteps({ client, clock, namespace, settings, objects, secrets, flush })

  return {
    async observe(daemon): Promise<Children> {
      const found = await find(daemon)
      const { statefulSet, volumeClaim, pod, secret } = found
      if (pod === undefined) silent.forget(childNames(daemon.name).machine)
      const built = { service: found.service, serviceAccount: found.serviceAccount, networkPolicy: found.networkPolicy }
      const workload = statefulSet && isOwned(statefulSet, daemon) ? workloadOf(statefulSet, daemon) : undefined
      const claim = volumeClaim && isOurVolume(daemon, volumeClaim) ? volumeClaim : undefined
      return {
        foreign: foreignObjects(daemon, { ...built, statefulSet, secret: secret?.object, volumeClaim }),
        fixtures: judgeFixtures(daemon, settings, Object.values(built)),
        volume: claim && volumeOf(daemon, claim),
        keys: keysOf(daemon, secret && isOwned(secret.object, daemon) ? secret : undefined),
        workload: absences.note(daemon.name, workload, pod === undefined ? 'absent' : 'present'),
        machine: pod && {
          ...(await machineOf(pod, secret)),
          image: imageOf(pod, statefulSet, { daemon, settings }),
          template: templateOf(pod, statefulSet),
        },
      }
    },
    checkImage: async (image) => checkImage(image),
    execute,
    watch: (onNews) => objects.onNews(onNews),
    start: () => objects.start(),
    stop: () => objects.stop(),
    hasSynced: () => objects.hasSynced(),
    missedEvents: () => objects.missedEvents(),
  }
}

const isOwned = ({ metadata }: KubeObject, daemon: ManagedDaemon) =>
  metadata.ownerReferences?.some(({ uid }) => uid === ownerReference(daemon).uid) ?? false

// A volume outlives its resource under `retain`, so it is found by its labels and adopted by the next installation.
const isOurVolume = (daemon: ManagedDaemon, { metadata }: KubeObject) =>
  metadata.labels?.[ORG_ID_LABEL] === daemon.spec.orgId && metadata.labels[COMPONENT_LABEL] === 'svcd'

function foreignObjects(daemon: ManagedDaemon, found: Record<string, KubeObject | undefined>): string[] {
  return Object.entries(found)
    .filter(([kind, object]) => {
      if (object === undefined) return false
      return kind === 'volumeClaim' ? !isOurVolume(daemon, object) : !isOwned(object, daemon)
    })
    .map(([kind, object]) => `${kind} ${object?.metadata.name}`)
}

function judgeFixtures(
  daemon: ManagedDaemon,
  settings: ChildSettings,
  found: (ChildObject | undefined)[],
): Children['fixtures'] {
  if (found.every((object) => object === undefined || !isOwned(object, daemon))) return 'absent'
  const hashes = new Set(found.map(inputHashOf))
  const wanted = fixtures(daemon, settings).map(inputHashOf)
  return wanted.every((hash) => hashes.has(hash)) ? 'present' : 'drifted'
}

// The first key is mounted before it is accepted. Nothing runs with it until then, so it is not current yet.
const keysOf = ({ spec }: ManagedDaemon, secret: RelaySecret | undefined): Children['keys'] => {
  const mounted = secret?.current
  const isAccepted = mounted !== undefined && mounted <= spec.relay.acceptedGeneration
  return { held: heldKeys(secret?.keys ?? []), current: isAccepted ? mounted : undefined }
}

const volumeOf = (daemon: ManagedDaemon, claim: ChildObject): Children['volume'] => ({
  name: claim.metadata.name,
  requestedBytes: kubeQuantityBytes(claim.spec?.resources?.requests?.storage),
  capacityBytes: kubeQuantityBytes(claim.status?.capacity?.storage),
  owned: isOwned(claim, daemon),
  going: claim.metadata.deletionTimestamp !== undefined,
})
