import type { EventResponse } from './event-response.ts'

/** The open event streams. They do not end by themselves, so a stopping daemon must end them. */
export type OpenStreams = {
  /** Returns a function to call when the stream is closed. */
  add(stream: EventResponse): () => void
  /** Ends all of them, and each later one immediately: a browser reconnects and learns the reason from the gateway. */
  endAll(): void
}

export function createOpenStreams(): OpenStreams {
  const open = new Set<EventResponse>()
  let isOver = false

  return {
    add(stream) {
      if (isOver) stream.end()
      else open.add(stream)
      return () => void open.delete(stream)
    },
    endAll() {
      isOver = true
      for (const stream of open) stream.end()
    },
  }
}
