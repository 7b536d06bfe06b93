import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import type { z } from 'zod'
import {
  CreateVaultRequest,
  Tree,
  TreeQuery,
  VaultCreated,
  VaultInfo,
  VaultList,
  VaultParams,
} from '@svc/shared/wire/daemon/daemon.api.ts'
import type { ChangeStream } from '../events/change-stream.ts'
import { JSON_TYPE, jsonInSlices } from '../http/json-in-slices.ts'
import { actorOf, creatorOf, type RequestCaller } from '../http/request-caller.ts'
import type { DescribeActivity } from '../news/describe-activity.ts'
import { readerOf } from '../news/reader.ts'
import type { NoteTree } from '../notes/note-tree.ts'
import { unreadFilesOf } from './reading/unread-files.ts'
import type { Vault } from './vault.ts'
import type { VaultRegistry } from './vault-registry.ts'
import { parseVaultPath } from '../files/vault-path.ts'
import type { DescribeVault } from '../storage/vault-info.ts'
import { slices } from '../watch/slices.ts'

type Deps = {
  registry: VaultRegistry
  vaultInfo: DescribeVault
  describeActivity: DescribeActivity
  noteTree: NoteTree
  changesOf: (vault: Vault) => ChangeStream
}

/** List, create and describe vaults; the tree of one. */
export function vaultsRoutes(deps: Deps): FastifyPluginAsyncZod {
  const { registry, vaultInfo, describeActivity, noteTree, changesOf } = deps
  return async (app) => {
    app.get(
      '/api/vaults',
      { config: { relayed: ['service:vaults:list'] }, schema: { response: { 200: VaultList } } },
      async ({ caller }) => {
        const reader = listReader(caller)
        return {
          ok: true as const,
          vaults: await Promise.all(registry.list().map((vault) => describeActivity(vault, reader))),
        }
      },
    )

    app.post(
      '/api/vaults',
      {
        config: { relayed: ['service:vaults:create'] },
        schema: { body: CreateVaultRequest, response: { 201: VaultCreated } },
      },
      async ({ body, caller }, reply) => {
        const { id, displayName } = await registry.create({ ...body, by: creatorOf(caller), tool: 'create_vault' })
        return reply.code(201).send({ ok: true, vault: { id, displayName } })
      },
    )

    app.get(
      '/api/vaults/:vaultId',
      { config: { relayed: ['vault-member'] }, schema: { params: VaultParams, response: { 200: VaultInfo } } },
      async ({ params }) => ({ ok: true as const, vault: await vaultInfo(registry.find(params.vaultId)) }),
    )

    app.get(
      '/api/vaults/:vaultId/tree',
      {
        config: { relayed: ['vault-member'] },
        schema: { params: VaultParams, querystring: TreeQuery, response: { 200: Tree } },
      },
      async ({ params, query: { depth, path } }, reply) => {
        const vault = registry.find(params.vaultId)
        const folder = path === undefined || path === '' ? undefined : parseVaultPath(path)
        // Before the tree is read: a listener that compares must not take a change for known that the tree lacks.
        const lastEventId = changesOf(vault).lastId()
        const tree = await noteTree(vault, { path: folder, depth })
        const unread = folder === undefined ? unreadFilesOf(vault) : undefined
        const answer: z.infer<typeof Tree> = { ok: true, lastEventId, tree, ...(unread && { unread }) }
        return reply.type(JSON_TYPE).send(jsonInSlices(answer, slices()) as never)
      },
    )
  }
}

/** The reader whose news a list shows: the person for whom the control plane sends the request. */
function listReader(caller: RequestCaller): string | undefined {
  if (caller.kind !== 'service') return readerOf(actorOf(caller))
  return 'user' in caller.claims.act ? caller.claims.act.user : undefined
}
