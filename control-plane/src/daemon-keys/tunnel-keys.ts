import { sameBytes } from '@svc/shared/kit/same-secret.ts'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Db } from '../db/database.ts'
import { createInBatches } from '../db/in-batches.ts'
import { hashDaemonKey, isDaemonKey } from './daemon-key.ts'
import { daemonKeysRepository, type LiveKey } from './daemon-keys.repository.ts'

export type { LiveKey }
export type KeyState = 'live' | 'expired' | 'revoked'

/** Maximum number of keys per query. */
const MOST_AT_ONCE = 100

type Options = { db: Db; clock: Pick<Clock, 'now'> }

/** Daemon keys for the relay: who may open a tunnel, and which tunnels must close. */
export function createTunnelKeys({ db, clock }: Options) {
  const keys = daemonKeysRepository(db, clock)
  const findLive = createInBatches<Buffer, LiveKey | undefined>({
    run: async (hashes) => {
      const found = await keys.listLiveKeys(hashes)
      return hashes.map((hash) => found.get(hash.toString('hex')))
    },
    most: MOST_AT_ONCE,
  })

  return {
    /** The live key of a presented text, if it belongs to that organization. */
    find: async (presented: string, orgId: string): Promise<LiveKey | undefined> => {
      if (!isDaemonKey(presented)) return undefined
      const hash = hashDaemonKey(presented)
      const found = await findLive(hash)
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
      if (await keys.updateConnected({ keyId, orgId, daemonId }, home)) return 'connected'
      if ((await keys.listStates([keyId])).get(keyId) !== 'live') return 'key_ended'
      await keys.updateConflict({ daemonId, orgId })
      return 'instance_conflict'
    },

    disconnected: (daemonId: string) => keys.updateSeen(daemonId),
    states: (keyIds: number[]): Promise<Map<number, KeyState>> => keys.listStates(keyIds),
    findDaemon: keys.findDaemon,
  }
}

export type TunnelKeys = ReturnType<typeof createTunnelKeys>
