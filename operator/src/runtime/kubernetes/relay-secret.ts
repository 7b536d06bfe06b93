import { randomBytes } from 'node:crypto'
import type { ManagedDaemon } from '@svc/shared/wire/managed-daemon.ts'
import { ownerReference, secret, secretFields } from '../../managed-daemon/children.ts'
import { childNames } from '../../managed-daemon/names.ts'
import { mintRelayKey, type StoredKey } from '../../managed-daemon/relay-key.ts'
import { kinds, pathOf, type KubeObject } from '@svc/kube/src/kinds.ts'
import type { KubeClient } from '@svc/kube/src/kube-client.ts'
import { absentOn404 } from '@svc/kube/src/kube-error.ts'

type SecretObject = KubeObject & { data?: Record<string, string> }

/** The Secret of a daemon as read: the only place with its keys in plain text. */
export type RelaySecret = {
  object: SecretObject
  keys: StoredKey[]
  current: number | undefined
  probeToken: string
}

type Options = { client: KubeClient; namespace: string }

/** Reads and changes the Secrets of daemons, by name and one at a time: they are never listed or watched. */
export function createRelaySecrets({ client, namespace }: Options) {
  const pathFor = (daemon: ManagedDaemon) => pathOf(kinds.secret, namespace, childNames(daemon.name).secret)

  const read = async (daemon: ManagedDaemon): Promise<RelaySecret | undefined> => {
    const object = await absentOn404(client.request<SecretObject>({ method: 'GET', path: pathFor(daemon) }))
    return object && toRelaySecret(object)
  }

  const owned = async (daemon: ManagedDaemon): Promise<RelaySecret> => {
    const found = await read(daemon)
    const ours = found?.object.metadata.ownerReferences?.some(({ uid }) => uid === ownerReference(daemon).uid)
    if (found === undefined || !ours) throw new Error(`the Secret of ${daemon.name} is not there, or not ours`)
    return found
  }

  /** Replaces the content under the version that was read; a change in between is a conflict. */
  const replace = async (daemon: ManagedDaemon, found: RelaySecret, data: Record<string, string>) => {
    const body = secret(daemon, data)
    body.metadata.resourceVersion = found.object.metadata.resourceVersion
    await client.request({ method: 'PUT', path: pathFor(daemon), body })
  }

  const create = async (daemon: ManagedDaemon, keys: StoredKey[], current?: number): Promise<void> => {
    const body = secret(daemon, toData({ probeToken: randomBytes(32).toString('base64url') }, keys, current))
    await client.request({ method: 'POST', path: pathOf(kinds.secret, namespace), body })
  }

  /** Adds a key of that generation, replacing one that was never current. */
  const add = async (daemon: ManagedDaemon, generation: number): Promise<void> => {
    const key = { generation, token: mintRelayKey() }
    if ((await read(daemon)) === undefined) return create(daemon, [key])
    const mine = await owned(daemon)
    const kept = mine.keys.filter((key) => key.generation <= (mine.current ?? -1))
    await replace(daemon, mine, toData(mine, [...kept, key], mine.current))
  }

  return {
    read,

    add,

    /** Makes the Secret with its first key mounted. For a daemon that does not run: it starts when the key is accepted. */
    async addFirst(daemon: ManagedDaemon, generation: number): Promise<void> {
      if ((await read(daemon)) !== undefined) return add(daemon, generation)
      await create(daemon, [{ generation, token: mintRelayKey() }], generation)
    },

    async makeCurrent(daemon: ManagedDaemon, generation: number): Promise<void> {
      const mine = await owned(daemon)
      if (!mine.keys.some((key) => key.generation === generation))
        throw new Error(`there is no key of generation ${generation}`)
      await replace(daemon, mine, toData(mine, mine.keys, generation))
    },

    async retire(daemon: ManagedDaemon, current: number): Promise<void> {
      const mine = await owned(daemon)
      const kept = mine.keys.filter((key) => key.generation >= current)
      await replace(daemon, mine, toData(mine, kept, mine.current))
    },
  }
}

function toRelaySecret(object: SecretObject): RelaySecret {
  const text = (field: string) => Buffer.from(object.data?.[field] ?? '', 'base64').toString()
  const generations = Object.keys(object.data ?? {})
    .map((field) => /^key-(\d+)$/.exec(field)?.[1])
    .filter((digits) => digits !== undefined)
    .map(Number)
    .sort((a, b) => a - b)
  const current = text(secretFields.generation)
  return {
    object,
    keys: generations.map((generation) => ({ generation, token: text(secretFields.held(generation)) })),
    current: current === '' ? undefined : Number(current),
    probeToken: text(secretFields.probeToken),
  }
}

type ProbeToken = Pick<RelaySecret, 'probeToken'>

function toData({ probeToken }: ProbeToken, keys: readonly StoredKey[], current: number | undefined) {
  const mounted = keys.find(({ generation }) => generation === current)
  return {
    ...Object.fromEntries(keys.map(({ generation, token }) => [secretFields.held(generation), token])),
    ...(mounted && {
      [secretFields.token]: mounted.token,
      [secretFields.generation]: String(mounted.generation),
    }),
    [secretFields.probeToken]: probeToken,
  }
}
