import { z } from 'zod'
import type { ChildMessage, DaemonStatus, ParentMessage } from '@svc/shared/wire/daemon/daemon-status.ts'

const Message: z.ZodType<ParentMessage> = z.discriminatedUnion('type', [
  z.object({ type: z.literal('status'), id: z.number() }),
  z.object({ type: z.literal('flush'), id: z.number() }),
  z.object({ type: z.literal('stop') }),
])

type Options = {
  channel: NodeJS.Process
  status: () => Promise<DaemonStatus>
  /** Makes everything durable; returns the time as of which it is. */
  flush: () => Promise<string>
  stop: () => void
  onFailure: (error: unknown) => void
}

/**
 * Responds to a parent process over IPC. The daemon stops when its parent is gone, because nothing else would stop it.
 */
export function parentChannel({ channel, status, flush, stop, onFailure }: Options): void {
  if (channel.send === undefined) return
  const send = (message: ChildMessage) => {
    // A parent that has just ended is noticed as `disconnect`; without a callback, this would be an error of the process.
    if (channel.connected) channel.send?.(message, ignore)
  }

  async function answer(message: Exclude<ParentMessage, { type: 'stop' }>): Promise<void> {
    const { id } = message
    if (message.type === 'status') return send({ type: 'status', id, status: await status() })
    try {
      send({ type: 'flushed', id, durableAsOf: await flush() })
    } catch (error) {
      onFailure(error)
      send({ type: 'flush-failed', id })
    }
  }

  channel.on('message', (received: unknown) => {
    const message = Message.safeParse(received)
    if (!message.success) return
    if (message.data.type === 'stop') return stop()
    answer(message.data).catch(onFailure)
  })
  channel.on('disconnect', stop)
  if (!channel.connected) stop() // it ended during the start, before the listener was added
}

const ignore = () => {}
