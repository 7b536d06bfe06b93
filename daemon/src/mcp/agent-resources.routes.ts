import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { whenClosed } from '@svc/shared/kit/when-closed.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import {
  AgentChanges,
  AgentChangesRequest,
  AgentCompletion,
  AgentCompletionRequest,
  AgentResource,
  AgentResourceRequest,
  AgentResources,
  AgentResourcesQuery,
  AgentResourcesRequest,
} from '@svc/shared/wire/mcp/agent-resources.api.ts'
import type { ChangeStream } from '../events/change-stream.ts'
import type { RequestCaller } from '../http/request-caller.ts'
import type { ReadNote } from '../notes/read-note.ts'
import type { Vault } from '../vaults/vault.ts'
import type { VaultRegistry } from '../vaults/vault-registry.ts'
import { completeArgument } from './complete-argument.ts'
import { mayUse, refuseUnlessAllowed, remoteClient, type ToolCaller } from './tool-caller.ts'
import { vaultResources } from './resources/vault-resources.ts'
import { waitForChanges } from './wait-for-changes.ts'

type Deps = { registry: VaultRegistry; readNote: ReadNote; changesOf: (vault: Vault) => ChangeStream }

/**
 * Resources, completion and changes for agents of the control plane. The agents can only read, and only what the
 * assertion names.
 */
export function agentResourcesRoutes({ registry, readNote, changesOf }: Deps): FastifyPluginAsyncZod {
  const resources = vaultResources({ registry, readNote })
  const closing = new AbortController()

  return async (app) => {
    app.addHook('preClose', async () => closing.abort())

    app.post(
      '/api/agent/resources',
      {
        config: { relayed: ['agent'], quiet: true },
        schema: { querystring: AgentResourcesQuery, body: AgentResourcesRequest, response: { 200: AgentResources } },
      },
      async ({ query: { cursors }, body: { cursor }, caller }) => {
        const reader = readerOf(caller)
        return { ok: true as const, ...(await resources.list({ cursor, cursors, may: (id) => mayUse(reader, id) })) }
      },
    )

    app.post(
      '/api/agent/resource',
      {
        config: { relayed: ['agent'] },
        schema: { body: AgentResourceRequest, response: { 200: AgentResource } },
      },
      async ({ body: { uri }, caller }) => {
        const reader = readerOf(caller)
        return { ok: true as const, ...(await resources.read({ uri, may: (id) => mayUse(reader, id) })) }
      },
    )

    app.post(
      '/api/agent/complete',
      {
        config: { relayed: ['agent'], quiet: true },
        schema: { body: AgentCompletionRequest, response: { 200: AgentCompletion } },
      },
      async ({ body: { name, value, vaultId }, caller }) => {
        const reader = readerOf(caller)
        const vaults = registry.list().filter(({ id }) => mayUse(reader, id))
        return { ok: true as const, ...(await completeArgument(vaults, { name, value, vaultId })) }
      },
    )

    app.post(
      '/api/agent/changes',
      {
        config: { relayed: ['agent'], quiet: true },
        schema: { body: AgentChangesRequest, response: { 200: AgentChanges } },
      },
      async ({ body: { vaultId, since, waitMs }, caller }, reply) => {
        if (!mayUse(readerOf(caller), vaultId)) throw fail('not_found')
        const changes = changesOf(registry.find(vaultId))
        const left = new AbortController()
        whenClosed(reply.raw, () => left.abort())
        const signal = AbortSignal.any([left.signal, closing.signal])
        return { ok: true as const, ...(await waitForChanges(changes, { since, waitMs, signal })) }
      },
    )
  }
}

function readerOf(caller: RequestCaller): ToolCaller {
  if (caller.kind !== 'agent') throw fail('not_found')
  const reader = remoteClient(caller.claims)
  refuseUnlessAllowed(reader, { effect: 'reads', input: {} })
  return reader
}
