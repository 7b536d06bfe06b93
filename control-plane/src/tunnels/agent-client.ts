import { ASSERTION_HEADER } from '@svc/shared/wire/assertions.ts'
import { readErrorBody } from '@svc/shared/wire/error-body.ts'
import { fail, type ErrorCode } from '@svc/shared/wire/errors.ts'
import { AgentCallAnswer, type AgentCallRequest } from '@svc/shared/wire/mcp/agent-call.api.ts'
import type { z } from 'zod'
import { mintAgentAssertion, type AgentIdentity } from '../entry/mint-assertion.ts'
import type { Signer } from '../entry/signing-keys.ts'
import { exchange, readJson } from './daemon-exchange.ts'
import type { OpenTunnel } from './tunnels.ts'

type Options = { sign: Signer; findTunnel: (orgId: string) => Promise<OpenTunnel> }
type AgentCall = {
  orgId: string
  identity: AgentIdentity
  request: z.input<typeof AgentCallRequest>
  signal?: AbortSignal | undefined
}

/** A field that only the control plane may set about an agent; the daemon's own value is ignored. */
const NOT_PASSED_ON = new Set<ErrorCode>(['unauthenticated', 'integration_not_approved', 'internal'])

/**
 * Calls a tool of a daemon for an agent, over the tunnel. The daemon sees a short-lived assertion of ours and never the
 * agent's token. Its response is hostile input: limited, timed and validated.
 */
export function createAgentClient({ sign, findTunnel }: Options) {
  return async ({ orgId, identity, request, signal }: AgentCall): Promise<z.output<typeof AgentCallAnswer>> => {
    const held = await findTunnel(orgId)
    const { text: assertion } = await mintAgentAssertion(sign, { ...identity, daemonId: held.daemonId, orgId })
    const { status, text } = await exchange(held.pool, {
      method: 'POST',
      target: '/api/agent/call',
      headers: [
        'host',
        'daemon.invalid',
        'accept',
        'application/json',
        'content-type',
        'application/json',
        ASSERTION_HEADER,
        assertion,
      ],
      text: JSON.stringify(request),
      signal,
    })
    const value = readJson(text)
    if (status >= 200 && status < 300) {
      const parsed = AgentCallAnswer.safeParse(value)
      if (parsed.success) return parsed.data
      throw fail('daemon_unreachable', { reason: 'answer_invalid' })
    }
    const told = readErrorBody(value)
    throw told && !NOT_PASSED_ON.has(told.code) ? told : fail('daemon_unreachable', { status })
  }
}

export type CallAgentTool = ReturnType<typeof createAgentClient>
