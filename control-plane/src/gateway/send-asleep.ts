import type { ServerResponse } from 'node:http'
import { originHeaders } from '../http/vault-origin-headers.ts'

/**
 * Answers an event stream of a daemon that sleeps: one event that says so, then the end. A listener that connects again
 * by itself would otherwise keep the daemon awake, or poll for it.
 */
export function sendAsleep(response: ServerResponse, { secure }: { secure: boolean }): void {
  response.writeHead(200, { ...originHeaders({ secure }), 'content-type': 'text/event-stream; charset=utf-8' })
  response.end('event: sleep\ndata: {"reason":"asleep"}\n\n')
}
