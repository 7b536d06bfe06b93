import type { ServerResponse } from 'node:http'
import { whenClosed } from '@svc/shared/kit/when-closed.ts'

/** A stream of server-sent events. It does not end by itself. */
export type EventResponse = {
  /** Sends an event, unless the stream has ended. */
  send(event: string, data: unknown, id?: string): void
  /** Ends the stream. A reader that does not take the rest soon is disconnected. */
  end(): void
}

const MAX_BACKLOG_BYTES = 1024 * 1024
// A reader that has stalled would otherwise keep the ended response as long as its connection lasts.
const CUT_MS = 1000

/** Begins a stream of events as the response to a request. */
export function eventResponse(response: ServerResponse): EventResponse {
  const isOver = () => response.destroyed || response.writableEnded
  // Without a listener, a failed write would end the daemon. Its connection closes in any case.
  response.on('error', ignore)
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
  return {
    send(event, data, id) {
      if (isOver()) return
      const position = id === undefined ? '' : `id: ${id}\n`
      response.write(`event: ${event}\n${position}data: ${JSON.stringify(data)}\n\n`)
      // A listener that does not read must not fill the memory: it reconnects with its last id.
      if (response.writableLength > MAX_BACKLOG_BYTES) response.destroy()
    },
    end() {
      if (isOver()) return
      response.end()
      const cut = setTimeout(() => response.destroy(), CUT_MS)
      whenClosed(response, () => clearTimeout(cut))
    },
  }
}

const ignore = () => {}
