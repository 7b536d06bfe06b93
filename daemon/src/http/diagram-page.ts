import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createDiagramFiles } from '@svc/shared/diagram/diagram-files.ts'
import { DIAGRAM_PATH, DIAGRAM_SCRIPTS } from '@svc/shared/diagram/diagram-page.ts'
import { fail } from '@svc/shared/wire/errors.ts'

const BUILT = fileURLToPath(new URL('../../dist/diagram', import.meta.url))

/** Serves the page that draws diagrams. Through the relay the gateway serves its own instead. */
export function serveDiagrams(app: FastifyInstance, folder = BUILT): void {
  const files = createDiagramFiles(folder)
  const handler = async ({ url, headers }: FastifyRequest, reply: FastifyReply) => {
    const file = await files.find({ target: url, acceptEncoding: String(headers['accept-encoding'] ?? '') })
    if (file === undefined) throw fail('not_found')
    return reply.headers(file.headers).send(file.body)
  }
  for (const url of [DIAGRAM_PATH, `${DIAGRAM_SCRIPTS}*`])
    app.get(url, { config: { quiet: true, produces: [] }, schema: { hide: true }, handler })
}
