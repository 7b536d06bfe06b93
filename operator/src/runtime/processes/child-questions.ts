import type { ChildProcess } from 'node:child_process'
import { ChildMessage, type DaemonStatus, type ParentMessage } from '@svc/shared/wire/daemon/daemon-status.ts'

type Waiting = { resolve: (answer: ChildMessage) => void; reject: (error: Error) => void }

/** Queries to a child over IPC, each with a response in time or an error. */
export function createChildQuestions(child: ChildProcess) {
  const waiting = new Map<number, Waiting>()
  let last = 0

  child.on('message', (message) => {
    const answer = ChildMessage.safeParse(message)
    if (!answer.success) return
    waiting.get(answer.data.id)?.resolve(answer.data)
  })
  child.once('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error('the daemon ended before it answered'))
  })

  const ask = (type: 'status' | 'flush', withinMs: number) => {
    const id = ++last
    const { promise, resolve, reject } = Promise.withResolvers<ChildMessage>()
    const timer = setTimeout(() => reject(new Error(`the daemon gave no answer within ${withinMs} ms`)), withinMs)
    waiting.set(id, { resolve, reject })
    send(child, { type, id })
    return promise.finally(() => {
      clearTimeout(timer)
      waiting.delete(id)
    })
  }

  return {
    /** What the daemon reports; undefined when it does not respond in time. */
    async status(withinMs: number): Promise<DaemonStatus | undefined> {
      const answer = await ask('status', withinMs).catch(() => undefined)
      return answer?.type === 'status' ? answer.status : undefined
    },
    /** Resolves once everything acknowledged is durable; throws otherwise. */
    async flush(withinMs: number): Promise<void> {
      const answer = await ask('flush', withinMs)
      if (answer.type !== 'flushed') throw new Error('the daemon could not make its notes durable')
    },
    stop: () => send(child, { type: 'stop' }),
  }
}

export type ChildQuestions = ReturnType<typeof createChildQuestions>

function send(child: ChildProcess, message: ParentMessage): void {
  // A child that is ending has closed its channel; its exit reports the rest.
  if (child.connected) child.send(message, () => {})
}
