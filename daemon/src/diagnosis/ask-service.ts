import { request, type IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import { readErrorBody } from '@svc/shared/wire/error-body.ts'
import { Blocked } from './causes.ts'
import { stepWithin } from './open-line.ts'

const MAX_BODY = 64 * 1024

/** Requests the dial-in URL without a key: only the service itself responds with its own error. Returns the headers. */
export async function askService(url: URL, line: Socket): Promise<IncomingHttpHeaders> {
  const answered = new Promise<{ status: number; headers: IncomingHttpHeaders; text: string }>((resolve, reject) => {
    const asked = request(
      { createConnection: () => line, path: url.pathname, headers: { host: url.host, accept: 'application/json' } },
      (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (chunk: string) => (text.length < MAX_BODY ? (text += chunk) : undefined))
        answer.once('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }))
      },
    )
    asked.once('error', (error) => reject(new Blocked('not_the_service', error.message)))
    asked.end()
  })
  const { status, headers, text } = await stepWithin(answered, 'http_timeout')
  line.destroy()
  if (status >= 300 && status < 400) throw new Blocked('redirected', `status ${status} to ${headers.location ?? '?'}`)
  if (readErrorBody(parseJson(text)) === undefined) throw new Blocked('not_the_service', `status ${status}`)
  return headers
}

/** The value of a JSON text, or undefined. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
