import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/**
 * Calls a function once a response is closed: at once if its client has already left. The event `close` is not
 * repeated, so a listener that is added after an `await` could wait forever.
 */
export function whenClosed(response: ServerResponse | Duplex, closed: () => void): void {
  if (response.closed) closed()
  else response.once('close', closed)
}
