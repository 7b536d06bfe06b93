import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import { createLog } from '@svc/shared/kit/log.ts'
import { WebSocketServer } from 'ws'
import { startDaemon } from '../../support/relay-replica.ts'
import { until } from '../../support/until.ts'

const SCRIPT = stripTypeScriptTypes(readFileSync(new URL('attacks.browser.ts', import.meta.url), 'utf8'))
// 3 by 2 pixels: a page that may load it learns its size.
const PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="3" height="2"/>'

type Organization = { orgId: string; apiKey: string; vault: string; secret: string }

/** A request that a daemon received. */
export type Asked = { method: string; path: string; headers: IncomingMessage['headers'] }

/**
 * A daemon played by this test, behind the real dialler. Its pages run the attacks. Its vault holds one secret, as
 * text, script, stylesheet and picture, so that every way of reading can be tried. It permits whatever it can permit.
 */
export async function startVaultDaemon(port: number, organization: Organization) {
  const { vault, secret } = organization
  const asked: Asked[] = []
  const sockets = new WebSocketServer({ noServer: true })
  sockets.on('connection', (socket) => socket.send(secret))

  const contents: Record<string, [type: string, body: string]> = {
    '/api/vaults': ['application/json', JSON.stringify({ ok: true, vaults: [{ id: vault, displayName: vault }] })],
    [`/v/${vault}`]: [
      'text/html',
      '<!doctype html><title>Bait</title><script type="module" src="/assets/attacks.js"></script>',
    ],
    '/assets/attacks.js': ['text/javascript', SCRIPT],
    '/assets/secret.js': [
      'text/javascript',
      `globalThis.leaked = '${secret}'; globalThis.document ?? postMessage(leaked)`,
    ],
    '/assets/secret.css': ['text/css', `:root { --leaked: '${secret}' }`],
    '/picture.svg': ['image/svg+xml', PICTURE],
    [`/api/vaults/${vault}/events`]: ['text/event-stream', `data: ${secret}\n\n`],
  }
  const answer = ({ method = '', url = '', headers }: IncomingMessage, response: ServerResponse) => {
    const path = url.split('?')[0] ?? ''
    asked.push({ method, path, headers })
    const [type, body] = contents[path] ?? ['text/plain', secret]
    response.setHeader('access-control-allow-origin', headers.origin ?? '*')
    response.setHeader('access-control-allow-credentials', 'true')
    response.setHeader('cross-origin-resource-policy', 'cross-origin')
    response.writeHead(200, { 'content-type': type }).end(body)
  }

  const log = createLog({ service: 'daemon', level: 'silent' })
  const daemon = await startDaemon({ port, log }, organization, answer)
  daemon.server.on('upgrade', (request, socket, head) => {
    asked.push({ method: 'GET', path: request.url ?? '', headers: request.headers })
    sockets.handleUpgrade(request, socket, head, (accepted) => void sockets.emit('connection', accepted, request))
  })
  await until('the daemon is connected', () => daemon.connection.status().controlConnected)
  return { asked, close: daemon.close }
}

export type VaultDaemon = Awaited<ReturnType<typeof startVaultDaemon>>
