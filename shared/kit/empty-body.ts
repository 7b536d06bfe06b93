import type { IncomingMessage } from 'node:http'

/**
 * Forgets the content type of a request that has no body. Node ends the stream of such a request before anybody listens
 * (`optimizeEmptyRequests`), so a parser that a content type calls for would wait for ever.
 */
export function forgetTypeOfNoBody({ headers }: Pick<IncomingMessage, 'headers'>): void {
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined)
    delete headers['content-type']
}
