import { Readable } from 'node:stream'

type OnSend<Payload> = (error: null, payload: Payload) => void

/**
 * An `onSend` hook of the framework, which serves HEAD with the handler of GET. It destroys the stream of a HEAD
 * response: otherwise the framework reads that stream to its end, and nobody limits or receives what it reads.
 */
export function closeStreamOfHead<Payload>(
  { method }: { method: string },
  _reply: unknown,
  payload: Payload,
  done: OnSend<Payload>,
): void {
  if (method === 'HEAD' && payload instanceof Readable) payload.destroy()
  done(null, payload)
}
