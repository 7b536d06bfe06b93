import { humanBytes } from '../controls/relative-time.ts'
import { adminApi } from './admin-api.ts'
import type { InventoryItem, OperationRequest } from './admin-answers.ts'

/** An audited operation that needs only a reason and, if it changes anything, the typed slug. */
export type ConfirmedAction = {
  name: string
  title: (organization: string) => string
  explanation: string
  mayBegin: (item: InventoryItem) => boolean
  /** Changes nothing, so it needs no typed confirmation. */
  harmless?: true
  /** Runs it and returns the success message. */
  run: (orgId: string, operation: OperationRequest, signal: AbortSignal) => Promise<string>
}

const hasDaemon = ({ daemon }: InventoryItem) => daemon !== null
const hasLostVolume = ({ daemon }: InventoryItem) =>
  daemon?.observedState === 'failed' && daemon.conditions.some(({ reason }) => reason === 'VolumeLost')

export const rotateRelayKey: ConfirmedAction = {
  name: 'Rotate connection key',
  title: (organization) => `Rotate the connection key of ${organization}`,
  explanation: 'The daemon gets a new key and redials with it. It is not restarted.',
  mayBegin: hasDaemon,
  run: async (...given) => {
    await adminApi.rotateKey(...given)
    return 'The connection key is rotated.'
  },
}

/** The actions on one hosted daemon that need only a confirmation. */
export const confirmedActions: ConfirmedAction[] = [
  {
    name: 'Check storage',
    title: (organization) => `Check the storage of ${organization}`,
    explanation: 'Asks the daemon over its connection. A sleeping daemon is woken for it.',
    mayBegin: hasDaemon,
    harmless: true,
    run: async (...given) => {
      const { storage, woke } = await adminApi.checkStorage(...given)
      const [used, free, all] = [storage.usedBytes, storage.freeBytes, storage.capacityBytes].map(humanBytes)
      return `${used} used, ${free} free of ${all}.${woke ? ' The check woke the daemon.' : ''}`
    },
  },
  rotateRelayKey,
  {
    name: 'Put to sleep',
    title: (organization) => `Put the daemon of ${organization} to sleep`,
    explanation: 'It stops once all notes are durable. The next visit wakes it.',
    mayBegin: ({ daemon }) => daemon?.desiredState === 'running',
    run: async (...given) => {
      await adminApi.putToSleep(...given)
      return 'The daemon sleeps.'
    },
  },
  {
    name: 'Grant hosted access',
    title: (organization) => `Grant hosted access to ${organization}`,
    explanation: 'The organization gets a hosted daemon free of charge.',
    mayBegin: ({ entitlement }) => entitlement === null,
    run: async (...given) => {
      await adminApi.grantComped(...given)
      return 'Access is granted; the daemon is being made.'
    },
  },
  {
    name: 'Reinstall',
    title: (organization) => `Reinstall the daemon of ${organization}`,
    explanation:
      'Makes the daemon again whose resource or volume was deleted on the cluster, with the image that last ran. A volume that is there is adopted; without one the daemon begins empty: restore a backup then.',
    mayBegin: (item) => (item.daemon === null || hasLostVolume(item)) && item.entitlement !== null,
    run: async (...given) => {
      await adminApi.reinstall(...given)
      return 'The daemon runs again.'
    },
  },
]
