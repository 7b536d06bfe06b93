import { Agent, request } from 'undici'
import { DaemonStatus, FlushAnswer } from '@svc/shared/wire/daemon/daemon-status.ts'
import { withTimeLimit } from '@svc/shared/kit/time-limit.ts'

type Target = { ip: string; port: number; token: string }

export type StatusClient = {
  /** What the daemon reports; undefined without a valid response in time. */
  status(target: Target): Promise<DaemonStatus | undefined>
  /** Resolves once everything acknowledged is durable; throws otherwise. */
  flush(target: Target): Promise<void>
  close(): Promise<void>
}

const ANSWER_MS = 2_000
const FLUSH_MS = 30_000
const LONGEST_ANSWER = 16 * 1024

/** Queries the status listeners of pods. Their responses are a tenant's data: limited, validated, never logged. */
export function createStatusClient(): StatusClient {
  const agent = new Agent({ keepAliveTimeout: 1_000, connections: 2, allowH2: false, connect: { timeout: ANSWER_MS } })

  const ask = (method: 'GET' | 'POST', path: string, { ip, port, token }: Target): Promise<unknown> =>
    withTimeLimit({ ms: method === 'GET' ? ANSWER_MS : FLUSH_MS }, async (signal) => {
      const host = ip.includes(':') ? `[${ip}]` : ip
      const { statusCode, body } = await request(`http://${host}:${port}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}` },
        dispatcher: agent,
        signal,
      })
      let text = ''
      for await (const chunk of body) {
        text += String(chunk)
        if (text.length > LONGEST_ANSWER) throw new Error('the daemon answered too much')
      }
      if (statusCode !== 200) throw new Error(`the daemon answered ${statusCode}`)
      return JSON.parse(text)
    })

  return {
    async status(target) {
      const answer = DaemonStatus.safeParse(await ask('GET', '/status', target).catch(() => undefined))
      return answer.success ? answer.data : undefined
    },
    async flush(target) {
      FlushAnswer.parse(await ask('POST', '/flush', target))
    },
    close: () => agent.close(),
  }
}
