import { request, type Agent } from 'node:http'
import { systemClock } from '@svc/shared/kit/clock.ts'
import type { Endpoint } from '../relay/load.ts'

const PATH = '/api/vaults/bench/attachments/small'

/** One read; returns its status and how long it took, in milliseconds. */
export function readOnce({ port, headers }: Endpoint, agent?: Agent): Promise<{ status: number; ms: number }> {
  const since = systemClock.monotonic()
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: PATH, headers, setHost: false, agent: agent ?? false }
    const sent = request(options, (response) => {
      response.resume()
      response.on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode ?? 0, ms: systemClock.monotonic() - since }))
    })
    sent.on('error', reject)
    sent.end()
  })
}
