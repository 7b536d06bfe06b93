import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/**
 * Calls a function once a response is closed: at once if its client has left already. An event `close` that was before
 * does not come again, so whoever waits for it after an `await` could wait forever.
 */
export function whenClosed(response: ServerResponse | Duplex, closed: () => void): void {
  if (response.closed) closed()
  else response.once('close', closed)
}
