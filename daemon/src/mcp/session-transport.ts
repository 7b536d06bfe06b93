import type { ServerResponse } from 'node:http'
import type { Transport, TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js'
import { whenClosed } from '@svc/shared/kit/when-closed.ts'
import type { RpcAnswer } from '@svc/shared/wire/mcp/rpc-answer.ts'
import { lostCall } from './lost-call.ts'
import { sessionAnswer } from './session-answer.ts'

/**
 * Carries the messages of one session over HTTP: each POST has its own response, and a GET is the stream of messages
 * that belong to no request. The transport of the SDK uses web requests and streams, which takes longer than reading a
 * note.
 */
export class SessionTransport implements Transport {
  readonly sessionId: string
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #answers = new Map<RequestId, RpcAnswer>()
  #stream: RpcAnswer | undefined
  #isClosed = false

  constructor(sessionId: string) {
    this.sessionId = sessionId
  }

  async start(): Promise<void> {}

  /** True while a request with that id has no result. */
  isInFlight(id: RequestId): boolean {
    return this.#answers.has(id)
  }

  /** Takes the messages of a POST and responds to it. */
  take(messages: readonly JSONRPCMessage[], response: ServerResponse): void {
    const ids = messages.flatMap((message) => ('method' in message && 'id' in message ? [message.id] : []))
    if (ids.length === 0) response.writeHead(202).end()
    else {
      const answer = sessionAnswer(response, { requests: ids.length, sessionId: this.sessionId })
      for (const id of ids) this.#answers.set(id, answer)
    }
    for (const message of messages) {
      this.onmessage?.(message)
      const cancelled = cancelledBy(message)
      // The SDK does not respond to a cancelled request. Its HTTP response would stay open until the session ends.
      if (cancelled !== undefined) this.#release(cancelled)?.skip()
    }
  }

  /** Opens the stream of the session; false if it already has one. */
  listen(response: ServerResponse): boolean {
    if (this.#stream) return false
    const stream = sessionAnswer(response, { requests: Infinity, sessionId: this.sessionId })
    this.#stream = stream
    whenClosed(response, () => {
      if (this.#stream === stream) this.#stream = undefined
    })
    stream.openStream()
    return true
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if ('method' in message) {
      const related = options?.relatedRequestId
      const to = related === undefined ? this.#stream : this.#answers.get(related)
      to?.event(message)
    } else if (message.id !== undefined) this.#release(message.id)?.result(message)
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    const { code, message } = lostCall()
    for (const id of this.#answers.keys()) this.#release(id)?.result({ jsonrpc: '2.0', id, error: { code, message } })
    this.#stream?.end()
    this.onclose?.()
  }

  #release(id: RequestId): RpcAnswer | undefined {
    const answer = this.#answers.get(id)
    this.#answers.delete(id)
    return answer
  }
}

function cancelledBy(message: JSONRPCMessage): RequestId | undefined {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined
  const id = message.params?.['requestId']
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}
