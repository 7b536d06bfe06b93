import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { whenClosed } from '@svc/shared/kit/when-closed.ts'
import { VaultParams } from '@svc/shared/wire/daemon/daemon.api.ts'
import type { VaultRegistry } from '../vaults/vault-registry.ts'
import type { Vault } from '../vaults/vault.ts'
import type { ChangeStream, NumberedChange } from './change-stream.ts'
import { eventResponse } from './event-response.ts'
import type { OpenStreams } from './open-streams.ts'

type Deps = { registry: VaultRegistry; changesOf: (vault: Vault) => ChangeStream; streams: OpenStreams }

const BEAT_MS = 15_000

/**
 * The changes of a vault as server-sent events named `change`. The folder of the vault, whose path is empty, `changed`
 * when other files or folders than before cannot be read. A listener that reconnects with Last-Event-ID gets what
 * it missed, or the event `resync` if that is no longer known: it must then read everything again. When the vault is
 * closed, because its folder was moved or the daemon stops, the last event is `gone`. `alive` is sent at once and then
 * regularly: a listener that does not receive it has lost the connection.
 */
export function eventsRoutes({ registry, changesOf, streams }: Deps): FastifyPluginAsyncZod {
  return async (app) => {
    app.addHook('preClose', async () => streams.endAll())

    app.get(
      '/api/vaults/:vaultId/events',
      {
        exposeHeadRoute: false,
        config: { relayed: ['vault-member'], produces: ['text/event-stream'], quiet: true },
        schema: { params: VaultParams },
      },
      async ({ params, headers }, reply) => {
        const changes = changesOf(registry.find(params.vaultId))
        reply.hijack()
        const response = reply.raw
        const stream = eventResponse(response)
        const tell = ({ id, change }: NumberedChange) => stream.send('change', change, id)

        const lastId = headers['last-event-id']
        const missed = typeof lastId === 'string' ? changes.since(lastId) : []
        if (missed) for (const change of missed) tell(change)
        else stream.send('resync', {}, changes.lastId())
        if (lastId === undefined) stream.send('hello', {}, changes.lastId())

        const closed = streams.add(stream)
        const end = () => {
          stream.send('gone', { reason: 'vault_closing' }, changes.lastId())
          stream.end()
        }
        const stop = changes.subscribe(tell, end)
        const tellAlive = () => stream.send('alive', {})
        tellAlive()
        const beat = setInterval(tellAlive, BEAT_MS)
        whenClosed(response, () => {
          stop()
          closed()
          clearInterval(beat)
        })
      },
    )
  }
}
