import type { IncomingMessage, ServerResponse } from 'node:http'
import type { DiagramFiles } from '@svc/shared/diagram/diagram-files.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { originHeaders } from '../http/vault-origin-headers.ts'

type Deps = { files: DiagramFiles; secure: boolean }
export type ServeDiagram = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** Serves the page that draws diagrams: the gateway's own bytes, the same for everybody, entered or not. */
export function createDiagramPage({ files, secure }: Deps): ServeDiagram {
  return async ({ method, url = '', headers }, response) => {
    if (method !== 'GET' && method !== 'HEAD') throw fail('method_not_allowed')
    if (headers['service-worker'] !== undefined) throw fail('forbidden', { reason: 'service_worker' })
    const file = await files.find({ target: url, acceptEncoding: String(headers['accept-encoding'] ?? '') })
    if (file === undefined) throw fail('not_found')
    response.writeHead(200, { ...originHeaders({ secure }), ...file.headers, 'content-length': file.body.length })
    response.end(method === 'HEAD' ? undefined : file.body)
  }
}
