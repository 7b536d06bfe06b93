import { PassThrough } from 'node:stream'
import type { z } from 'zod'
import type { ChangeEvent, EndEvent } from '@svc/shared/wire/events.api.ts'

/** A reader with more unread bytes is disconnected. It reconnects and reads everything again. */
const MAX_UNREAD_BYTES = 64 * 1024
/** How long a browser waits before it reconnects. */
const RETRY_MS = 2_000

/** One open stream of server-sent events. */
export class EventStream {
  readonly body = new PassThrough({ highWaterMark: MAX_UNREAD_BYTES })

  constructor() {
    this.#write(`retry: ${RETRY_MS}\n`)
    this.#event('hello', {})
  }

  tell(data: z.input<typeof ChangeEvent>): void {
    this.#event('change', data)
  }

  /** Tells the reader that it may have missed changes. */
  resync(): void {
    this.#event('resync', {})
  }

  /** Tells the reader that it was sent everything until now. Also keeps proxies from closing a quiet connection. */
  beat(): void {
    this.#event('beat', {})
  }

  end(reason: z.input<typeof EndEvent>['reason']): void {
    this.#event('end', { reason })
    this.body.end()
  }

  #event(name: string, data: object): void {
    this.#write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
  }

  #write(text: string): void {
    if (this.body.destroyed || this.body.writableEnded) return
    this.body.write(text)
    if (this.body.writableLength > MAX_UNREAD_BYTES) this.body.destroy()
  }
}
