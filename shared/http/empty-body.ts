import type { IncomingMessage } from 'node:http'

/**
 * Removes the content type of a request without a body. Node ends the stream of such a request before anybody listens
 * (`optimizeEmptyRequests`), so the parser for a content type would wait forever.
 */
export function forgetTypeOfNoBody({ headers }: Pick<IncomingMessage, 'headers'>): void {
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined)
    delete headers['content-type']
}
