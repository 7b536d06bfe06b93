import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import { ASSERTION_HEADER } from '@svc/shared/wire/assertions.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { VerifyAssertion } from '../entry/caller.ts'
import { relayedContext, type TunnelContext } from '../entry/tunnel-context.ts'
import { localRequestOf, valuesOf } from './local-request.ts'
import { localProblem } from './local-rules.ts'
import { relayedProblem } from './relayed-rules.ts'
import type { RequestCaller } from './request-caller.ts'

type Deps = { allowedHosts: readonly string[]; verifyAssertion: VerifyAssertion }

/** Admits every request before anything of it is read. A relayed request is known by its socket alone. */
export function createAdmission({ allowedHosts, verifyAssertion }: Deps): onRequestAsyncHookHandler {
  return async (request) => {
    const tunnel = relayedContext(request.raw.socket)
    request.caller = tunnel ? await admitRelayed(request, tunnel) : admitLocal(request)
  }

  function admitLocal(request: FastifyRequest): RequestCaller {
    const problem = localProblem(localRequestOf(request.raw), allowedHosts)
    if (problem) throw problem
    return { kind: 'local' }
  }

  async function admitRelayed(request: FastifyRequest, tunnel: TunnelContext): Promise<RequestCaller> {
    const assertions = valuesOf(ASSERTION_HEADER, request.raw.rawHeaders)
    if (assertions.length !== 1) throw fail('unauthenticated')
    const caller = await verifyAssertion(assertions[0]!, tunnel)

    const vaultId = (request.params as { vaultId?: string } | undefined)?.vaultId
    // Files of the UI have no route of their own when it is not built; a person who has entered may request them.
    const access = request.is404 ? (['entered'] as const) : (request.routeOptions.config.relayed ?? [])
    const problem = relayedProblem({ caller, access, vaultId })
    if (problem) throw problem
    return caller
  }
}
