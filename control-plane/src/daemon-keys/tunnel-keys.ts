import { sameBytes } from '@svc/shared/kit/same-secret.ts'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Db } from '../db/database.ts'
import { hashDaemonKey, isDaemonKey } from './daemon-key.ts'
import { daemonKeysRepository, type LiveKey } from './daemon-keys.repository.ts'

export type { LiveKey }
export type KeyState = 'live' | 'expired' | 'revoked'

type Options = { db: Db; clock: Pick<Clock, 'now'> }

/** Daemon keys for the relay: who may open a tunnel, and which tunnels must close. */
export function createTunnelKeys({ db, clock }: Options) {
  const keys = daemonKeysRepository(db, clock)

  return {
    /** The live key of a presented text, if it belongs to that organization. */
    find: async (presented: string, orgId: string): Promise<LiveKey | undefined> => {
      if (!isDaemonKey(presented)) return undefined
      const hash = hashDaemonKey(presented)
      const found = await keys.findLiveKey(hash)
      return found && sameBytes(Buffer.from(found.hash), hash) && found.orgId === orgId ? found : undefined
    },

    /**
     * Binds the key to the home that proved its instance. Its older keys expire, because the newer one is connected.
     * The key may have ended since it was found, because a daemon can be slow to respond.
     */
    connect: async (
      { keyId, daemonId, orgId }: LiveKey,
      home: { instanceKey: string; version: string },
    ): Promise<'connected' | 'key_ended' | 'instance_conflict'> => {
      const pinned = await keys.pinInstance({ keyId, orgId, daemonId }, home.instanceKey)
      if (!pinned) {
        if ((await keys.listStates([keyId])).get(keyId) !== 'live') return 'key_ended'
        await keys.updateConflict({ daemonId, orgId })
        return 'instance_conflict'
      }
      await keys.recordConnected({ keyId, orgId, daemonId }, home.version)
      return 'connected'
    },

    disconnected: (daemonId: string) => keys.updateSeen(daemonId),
    states: (keyIds: number[]): Promise<Map<number, KeyState>> => keys.listStates(keyIds),
    findDaemon: keys.findDaemon,
  }
}

export type TunnelKeys = ReturnType<typeof createTunnelKeys>
