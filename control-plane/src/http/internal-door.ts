import type { IncomingMessage } from 'node:http'
import type { Door } from './listen.ts'

type Answers = {
  ready(): Promise<boolean>
  metrics(): Promise<string>
  /** Takes the upgrades of other replicas, which are signed. */
  peerUpgrade: NonNullable<Door['upgrade']>
}

/** The internal listener: liveness, readiness, metrics and the hops of other replicas. Never reachable from outside. */
export function createInternalDoor({ ready, metrics, peerUpgrade }: Answers): Door {
  const answers: Record<string, () => Promise<{ status: number; type: string; text: string }>> = {
    '/health': async () => ({ status: 200, type: 'application/json', text: '{"ok":true}' }),
    '/ready': async () => {
      const ok = await ready()
      return { status: ok ? 200 : 503, type: 'application/json', text: JSON.stringify({ ok }) }
    },
    '/metrics': async () => ({ status: 200, type: 'text/plain; version=0.0.4', text: await metrics() }),
  }

  return {
    upgrade: peerUpgrade,
    request: (request, response) => {
      request.resume()
      if (hasBody(request)) response.shouldKeepAlive = false // do not wait here for it to end
      const answer = answers[request.url?.split('?', 1)[0] ?? '']
      if (answer === undefined || request.method !== 'GET') return void response.writeHead(404).end()
      answer().then(
        ({ status, type, text }) => response.writeHead(status, { 'content-type': type }).end(text),
        () => response.writeHead(500).end(),
      )
    },
  }
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
