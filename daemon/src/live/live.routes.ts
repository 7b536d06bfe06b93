import { EventEmitter } from 'node:events'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import websocket from '@fastify/websocket'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { NoteParams } from '@svc/shared/wire/daemon/daemon.api.ts'
import { liveLimits } from '@svc/shared/wire/daemon/live-messages.ts'
import { parseVaultPath } from '../files/vault-path.ts'
import type { Activity } from '../http/activity.ts'
import type { FindMoved } from '../history/renames/find-moved.ts'
import type { NoteHistory } from '../history/note-history.ts'
import type { Upgrade } from '../http/front-door.ts'
import { actorOf } from '../http/request-caller.ts'
import type { VaultRegistry } from '../vaults/vault-registry.ts'
import type { Vault } from '../vaults/vault.ts'
import type { LiveOfVaults } from './follow-live.ts'
import { liveConnection } from './live-connection.ts'

type Deps = {
  registry: VaultRegistry
  live: LiveOfVaults
  historyOf: (vault: Vault) => NoteHistory
  findMoved: FindMoved
  activity: Activity
  clock: Clock
  log: Log
}

// A client that does not respond to the closing handshake is disconnected after this time.
const CLOSE_MS = 1000
const RESTART = 1012

/** Enables WebSocket routes; call it before any route. Returns the handler for the upgrades of the server. */
export async function webSockets(app: FastifyInstance): Promise<Upgrade> {
  const upgrades = new EventEmitter()
  await app.register(websocket, {
    options: { server: upgrades as never, maxPayload: liveLimits.maxMessageBytes, perMessageDeflate: false },
    preClose(done) {
      const { clients } = app.websocketServer
      for (const client of clients) client.close(RESTART, 'the daemon stops')
      const cut = setTimeout(() => {
        for (const client of clients) client.terminate()
      }, CLOSE_MS)
      app.websocketServer.close(() => clearTimeout(cut))
      done()
    },
  })
  return (request, socket, head) => void upgrades.emit('upgrade', request, socket, head)
}

/** The WebSocket of a note that is open for joint editing. Typing keeps the daemon awake, an open note does not. */
export function liveRoutes({
  registry,
  live,
  historyOf,
  findMoved,
  activity,
  clock,
  log,
}: Deps): FastifyPluginAsyncZod {
  return async (app) => {
    app.get(
      '/api/vaults/:vaultId/live/*',
      { websocket: true, config: { relayed: ['vault-member'], quiet: true }, schema: { params: NoteParams } },
      (socket, { params, caller, raw }) => {
        const { vaultId, '*': path } = params as { vaultId: string; '*': string }
        liveConnection({
          socket,
          stream: raw.socket,
          sessions: async () => live.of(registry.find(vaultId)).sessions(),
          path: parseVaultPath(path),
          movedTo: (gone) =>
            findMoved(historyOf(registry.find(vaultId)), gone).catch((error: unknown) => {
              log.warn(
                { err: error, vault: vaultId },
                'the new path of a moved note could not be read from the history',
              )
              return undefined
            }),
          actor: actorOf(caller),
          activity,
          clock,
          log,
        })
      },
    )
  }
}
