import type { Clock } from '@svc/shared/kit/clock.ts'
import { createInTurns } from '@svc/shared/kit/in-turns.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { sameBytes } from '@svc/shared/kit/same-secret.ts'
import type { Db } from '../db/database.ts'
import { createInBatches } from '../db/in-batches.ts'
import { connectedDaemonsRepository, type Home } from './connected-daemons.repository.ts'
import { hashDaemonKey, isDaemonKey } from './daemon-key.ts'
import { daemonKeysRepository, type LiveKey } from './daemon-keys.repository.ts'
import { createSeenDaemons } from './seen-daemons.ts'

export type { LiveKey }
export type KeyState = 'live' | 'expired' | 'revoked'
export type Connected = 'connected' | 'key_ended' | 'instance_conflict'

/** Maximum number of keys per query. */
const MOST_AT_ONCE = 100
/**
 * Maximum number of keys that are bound at the same time. When hundreds of daemons dial together, other requests are
 * served in between, and connections to the database stay free.
 */
const BOUND_AT_ONCE = 4

type Options = { db: Db; clock: Pick<Clock, 'now' | 'sleep'>; log: Log }

/** Daemon keys for the relay: who may open a tunnel, and which tunnels must close. */
export function createTunnelKeys({ db, clock, log }: Options) {
  const keys = daemonKeysRepository(db, clock)
  const daemons = connectedDaemonsRepository(db, clock)
  const seen = createSeenDaemons({ write: daemons.updateSeen, clock, log })
  const inTurn = createInTurns(BOUND_AT_ONCE)
  const findLive = createInBatches<Buffer, LiveKey | undefined>({
    run: async (hashes) => {
      const found = await keys.listLiveKeys(hashes)
      return hashes.map((hash) => found.get(hash.toString('hex')))
    },
    most: MOST_AT_ONCE,
  })
  const bind = async ({ keyId, daemonId, orgId }: LiveKey, home: Home): Promise<Connected> => {
    if (await daemons.updateConnected({ keyId, orgId, daemonId }, home)) return 'connected'
    if ((await keys.listStates([keyId])).get(keyId) !== 'live') return 'key_ended'
    await daemons.updateConflict({ daemonId, orgId })
    return 'instance_conflict'
  }

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
     * The key may have ended since it was found, because a daemon can be slow to respond: it is read once more. A
     * daemon that returns as it left has nothing to bind, so a wake or a lost replica does not cost a write for each.
     */
    connect: async (key: LiveKey, home: Home): Promise<Connected> => {
      const found = isAsItLeft(key, home) ? await findLive(Buffer.from(key.hash)) : undefined
      if (found === undefined || !isAsItLeft(found, home)) return inTurn(() => bind(key, home))
      seen.note(key.daemonId, key.keyId)
      return 'connected'
    },

    disconnected: (daemonId: string): void => seen.note(daemonId),
    states: (keyIds: number[]): Promise<Map<number, KeyState>> => keys.listStates(keyIds),
    findDaemon: keys.findDaemon,
    start: seen.start,
    close: seen.close,
  }
}

export type TunnelKeys = ReturnType<typeof createTunnelKeys>

const isAsItLeft = (key: LiveKey, home: Home): boolean =>
  key.isUndisputed && key.instanceKey === home.instanceKey && key.version === home.version
