import type { z } from 'zod'
import { ASSERTION_HEADER, MAX_ASSERTION_LENGTH } from '@svc/shared/wire/assertions.ts'
import { readErrorBody } from '@svc/shared/wire/error-body.ts'
import { fail, type ErrorCode } from '@svc/shared/wire/errors.ts'
import { parseForeign } from '@svc/shared/wire/foreign-input.ts'
import { AgentCallAnswer, type AgentCallRequest } from '@svc/shared/wire/mcp/agent-call.api.ts'
import {
  AgentChanges,
  AgentCompletion,
  AgentResource,
  AgentResources,
  type AgentChangesRequest,
  type AgentCompletionRequest,
  type AgentResourceRequest,
  type AgentResourcesRequest,
} from '@svc/shared/wire/mcp/agent-resources.api.ts'
import type { AgentAssertions } from '../entry/kept-assertions.ts'
import type { AgentIdentity } from '../entry/mint-assertion.ts'
import { readJson, type Exchange } from './daemon-exchange.ts'
import type { OpenTunnel } from './tunnels.ts'

type Options = {
  assertionOf: AgentAssertions
  findTunnel: (orgId: string) => Promise<OpenTunnel>
  exchange: Exchange
}
type Route<Answer> = { target: string; answer: Answer; timeoutMs?: number }
type AgentCall<Request> = {
  orgId: string
  identity: AgentIdentity
  request: Request
  signal?: AbortSignal | undefined
}

/** A tool may move a folder with the links to it, or revert a day of work. The daemon completes it in any case. */
const TOOL_MS = 120_000

/** Failures about an agent that only the control plane may report. When a daemon reports one, it is not passed on. */
const NOT_PASSED_ON = new Set<ErrorCode>(['unauthenticated', 'integration_not_approved', 'internal'])

/**
 * Queries a daemon on behalf of an agent, over the tunnel. The daemon sees a short-lived assertion of ours and never
 * the agent's token. Its response is hostile input: limited, timed and validated.
 */
export function createAgentClient({ assertionOf, findTunnel, exchange }: Options) {
  const ask =
    <Request extends z.ZodType, Answer extends z.ZodType>({ target, answer, timeoutMs }: Route<Answer>) =>
    async (call: AgentCall<z.input<Request>>): Promise<z.output<Answer>> => {
      const { orgId, identity, request, signal } = call
      const held = await findTunnel(orgId)
      const assertion = await assertionOf({ ...identity, daemonId: held.daemonId, orgId })
      if (assertion.length > MAX_ASSERTION_LENGTH) throw tooManyVaults()
      const json = ['accept', 'application/json', 'content-type', 'application/json']
      const { status, text } = await exchange(
        { orgId, caller: { name: identity.sub, by: 'agent' }, pool: held.pool },
        {
          method: 'POST',
          target,
          headers: ['host', 'daemon.invalid', ...json, ASSERTION_HEADER, assertion],
          text: JSON.stringify(request),
          timeoutMs,
          signal,
        },
      )
      const value = readJson(text)
      if (status >= 200 && status < 300) {
        const parsed = parseForeign(answer, value)
        if (parsed.success) return parsed.data
        throw fail('daemon_unreachable', { reason: 'answer_invalid' })
      }
      const told = readErrorBody(value)
      throw told && !NOT_PASSED_ON.has(told.code) ? told : fail('daemon_unreachable', { status })
    }

  return {
    callTool: ask<typeof AgentCallRequest, typeof AgentCallAnswer>({
      target: '/api/agent/call',
      answer: AgentCallAnswer,
      timeoutMs: TOOL_MS,
    }),
    listResources: ask<typeof AgentResourcesRequest, typeof AgentResources>({
      target: '/api/agent/resources?cursors=long',
      answer: AgentResources,
    }),
    readResource: ask<typeof AgentResourceRequest, typeof AgentResource>({
      target: '/api/agent/resource',
      answer: AgentResource,
    }),
    complete: ask<typeof AgentCompletionRequest, typeof AgentCompletion>({
      target: '/api/agent/complete',
      answer: AgentCompletion,
    }),
    readChanges: ask<typeof AgentChangesRequest, typeof AgentChanges>({
      target: '/api/agent/changes',
      answer: AgentChanges,
    }),
  }
}

export type AgentClient = ReturnType<typeof createAgentClient>

/** Consent refuses such grants, but those from before it did are still stored. */
const tooManyVaults = () =>
  fail(
    'forbidden',
    { reason: 'too_many_vaults_granted', next: 'Name a vaultId where the tool takes one. Otherwise ask the person.' },
    {
      message:
        'You were connected to more single vaults of this organization than one call can name. Ask the person to connect you again, to the whole organization or to fewer vaults.',
    },
  )
