import type { ServerResponse } from 'node:http'
import { whenClosed } from '@svc/shared/kit/when-closed.ts'

/** The open event streams. They do not end by themselves, so a stopping daemon must end them. */
export type OpenStreams = {
  add(response: ServerResponse): void
  /** Ends all of them, and each later one immediately: a browser reconnects and learns the reason from the gateway. */
  endAll(): void
}

export function createOpenStreams(): OpenStreams {
  const open = new Set<ServerResponse>()
  let isOver = false

  return {
    add(response) {
      if (isOver) return void response.end()
      open.add(response)
      whenClosed(response, () => open.delete(response))
    },
    endAll() {
      isOver = true
      for (const response of open) response.end()
    },
  }
}
