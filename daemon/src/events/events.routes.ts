import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { whenClosed } from '@svc/shared/kit/when-closed.ts'
import { VaultParams } from '@svc/shared/wire/daemon/daemon.api.ts'
import type { VaultRegistry } from '../vaults/vault-registry.ts'
import type { Vault } from '../vaults/vault.ts'
import type { ChangeStream, NumberedChange } from './change-stream.ts'
import type { OpenStreams } from './open-streams.ts'

type Deps = { registry: VaultRegistry; changesOf: (vault: Vault) => ChangeStream; streams: OpenStreams }

const BEAT_MS = 15_000
const MAX_BACKLOG_BYTES = 1024 * 1024

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
        response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })

        const send = (event: string, id: string, data: unknown) => {
          response.write(`event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`)
          // A listener that does not read must not fill the memory: it reconnects with its last id.
          if (response.writableLength > MAX_BACKLOG_BYTES) response.destroy()
        }
        const tell = ({ id, change }: NumberedChange) => send('change', id, change)

        const lastId = headers['last-event-id']
        const missed = typeof lastId === 'string' ? changes.since(lastId) : []
        if (missed) for (const change of missed) tell(change)
        else send('resync', changes.lastId(), {})
        if (lastId === undefined) send('hello', changes.lastId(), {})

        streams.add(response)
        const end = () => {
          send('gone', changes.lastId(), { reason: 'vault_closing' })
          response.end()
        }
        const stop = changes.subscribe(tell, end)
        const tellAlive = () => response.write('event: alive\ndata: {}\n\n')
        tellAlive()
        const beat = setInterval(tellAlive, BEAT_MS)
        whenClosed(response, () => {
          stop()
          clearInterval(beat)
        })
      },
    )
  }
}
