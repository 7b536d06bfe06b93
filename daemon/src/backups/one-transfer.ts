import type { PassThrough } from 'node:stream'
import { fail } from '@svc/shared/wire/errors.ts'

/**
 * Runs one backup or restore at a time. A new one aborts the one in progress: the platform starts another only after
 * giving that one up.
 */
export function createOneTransfer() {
  let current: { over: AbortController; ended: Promise<void> } | undefined
  let turn: Promise<unknown> = Promise.resolve()

  const begin = async (run: (signal: AbortSignal) => Promise<PassThrough>): Promise<PassThrough> => {
    current?.over.abort(fail('stream_reset'))
    await current?.ended
    const over = new AbortController()
    const output = await run(over.signal)
    current = { over, ended: new Promise((resolve) => output.once('close', () => resolve())) }
    return output
  }

  return {
    run: (start: (signal: AbortSignal) => Promise<PassThrough>): Promise<PassThrough> => {
      const mine = turn.then(() => begin(start))
      turn = mine.catch(() => {})
      return mine
    },
    close: async (): Promise<void> => {
      current?.over.abort(fail('stream_reset'))
      await current?.ended
    },
  }
}
