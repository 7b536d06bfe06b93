import type { ServerResponse } from 'node:http'
import { originHeaders } from '../http/vault-origin-headers.ts'

/**
 * Answers a request for the event stream of a sleeping daemon: one event that says so, then the end. Otherwise a client
 * that reconnects by itself would keep the daemon awake.
 */
export function sendAsleep(response: ServerResponse, { secure }: { secure: boolean }): void {
  response.writeHead(200, { ...originHeaders({ secure }), 'content-type': 'text/event-stream; charset=utf-8' })
  response.end('event: sleep\ndata: {"reason":"asleep"}\n\n')
}
