import type { ServerResponse } from 'node:http'

/** The event streams that are open now. They have no end of their own, so a daemon that stops ends them. */
export type OpenStreams = {
  add(response: ServerResponse): void
  /** Ends all of them, and every later one at once: a browser connects again and learns why from the gateway. */
  endAll(): void
}

/** No streams yet. */
export function createOpenStreams(): OpenStreams {
  const open = new Set<ServerResponse>()
  let isOver = false

  return {
    add(response) {
      if (isOver) return void response.end()
      open.add(response)
      response.once('close', () => open.delete(response))
    },
    endAll() {
      isOver = true
      for (const response of open) response.end()
    },
  }
}
