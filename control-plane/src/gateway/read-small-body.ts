import type { IncomingMessage } from 'node:http'
import { fail } from '@svc/shared/wire/errors.ts'

/** The text of a body that the gateway itself reads; `payload_too_large` beyond a limit. */
export async function readSmallBody(request: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw fail('payload_too_large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
