import { fail, isFailure, type ServiceError } from '@svc/shared/wire/errors.ts'
import type { VaultRegistry } from '../vaults/vault-registry.ts'
import { pathsOf } from '../watch/remembered.ts'
import { slices } from '../watch/slices.ts'
import { forgiveArguments } from './forgive-arguments.ts'
import { similarPaths } from './similar-paths.ts'
import { mayUse, type ToolCaller } from './tool-caller.ts'
import type { Tool } from './tool.ts'

const MAX_SIMILAR = 3

/** A tool whose failures say whether the vault or the path is wrong, and which paths may have been meant. */
export function helpfulTool(tool: Tool, registry: VaultRegistry): Tool {
  const parameters = Object.keys(tool.definition.input.shape)
  if (!parameters.includes('vaultId')) return tool
  return {
    ...tool,
    call: (args, caller) =>
      tool.call(args, caller).catch(async (error: unknown) => {
        if (!isFailure(error, 'not_found') && !isFailure(error, 'invalid_request')) throw error
        throw (await withHelp(error, { given: forgiveArguments(args, parameters), registry, caller })) ?? error
      }),
  }
}

type Failed = { given: unknown; registry: VaultRegistry; caller: ToolCaller }

async function withHelp(error: ServiceError, { given, registry, caller }: Failed): Promise<ServiceError | undefined> {
  const { vaultId, path } = (given ?? {}) as { vaultId?: unknown; path?: unknown }
  if (typeof vaultId !== 'string') return undefined
  // A vault that the caller may not use is reported like one that does not exist.
  const vault = mayUse(caller, vaultId) ? registry.list().find(({ id }) => id === vaultId) : undefined
  if (!vault) {
    const next = 'There is no such vault: take vaultId from list_vaults.'
    return error.code === 'not_found' ? fail('not_found', { next }) : undefined
  }
  if (typeof path !== 'string' || !isAboutPath(error)) return undefined
  const similar = await similarPaths(pathsOf(vault.manifest.asOfNow()), {
    asked: path,
    most: MAX_SIMILAR,
    pause: slices(),
  })
  if (similar.length === 0) return undefined
  const details = Array.isArray(error.details) ? { problems: error.details as unknown[] } : error.details
  return fail(error.code, { ...(details as object | undefined), similar, next: 'If one of similar is meant, use it.' })
}

/** True if a file is missing, or a path is not the path of a file. */
function isAboutPath({ code, details }: ServiceError): boolean {
  if (code === 'not_found') return details === undefined
  return Array.isArray(details) && (details as { path?: unknown }[]).every(({ path }) => path === 'path')
}
