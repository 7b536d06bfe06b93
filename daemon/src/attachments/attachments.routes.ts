import { Readable } from 'node:stream'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import type { z } from 'zod'
import {
  AttachmentList,
  AttachmentWritten,
  DeleteNoteQuery,
  NoteDeleted,
  NoteParams,
  VaultParams,
} from '@svc/shared/wire/daemon/daemon.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { openFile } from '../files/open-file.ts'
import { etagOf, expectationOf, knownBaselines, parseEtags } from '../http/conditional.ts'
import { fileBody } from '../http/file-body.ts'
import { JSON_TYPE, jsonInSlices } from '../http/json-in-slices.ts'
import { actorOf, isMember } from '../http/request-caller.ts'
import type { VaultRegistry } from '../vaults/vault-registry.ts'
import { parseVaultPath } from '../files/vault-path.ts'
import { slices } from '../watch/slices.ts'
import { attachmentAnswer } from './attachment-answer.ts'
import { listAttachments, toAttachmentView } from './list-attachments.ts'
import type { DeleteAttachment } from './delete-attachment.ts'
import type { WriteAttachment } from './write-attachment.ts'

type Deps = {
  registry: VaultRegistry
  writeAttachment: WriteAttachment
  deleteAttachment: DeleteAttachment
  maxBytes: number
}

const URL = '/api/vaults/:vaultId/attachments/*'

/** The inventory of attachments; their bytes, streamed both ways. */
export function attachmentsRoutes({
  registry,
  writeAttachment,
  deleteAttachment,
  maxBytes,
}: Deps): FastifyPluginAsyncZod {
  return async (app) => {
    // Every content type is accepted: the body is bytes, whatever its type.
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', async (_request: unknown, body: Readable) => body)

    app.get(
      '/api/vaults/:vaultId/attachments',
      { config: { relayed: ['vault-member'] }, schema: { params: VaultParams, response: { 200: AttachmentList } } },
      async ({ params }, reply) => {
        const attachments = await listAttachments(registry.find(params.vaultId))
        const answer: z.infer<typeof AttachmentList> = { ok: true, attachments }
        return reply.type(JSON_TYPE).send(jsonInSlices(answer, slices()) as never)
      },
    )

    app.get(
      URL,
      { config: { relayed: ['vault-member'], produces: [] }, schema: { params: NoteParams } },
      async ({ params, headers }, reply) => {
        const vault = registry.find(params.vaultId)
        const path = vault.manifest.onDisk(parseVaultPath(params['*']))
        const known = knownBaselines(headers)
        await vault.files.mounted.refuseAway(path)
        const { handle, stamp } = await openFile(vault.layout.root, path)
        const answer = attachmentAnswer({ ...headers, known }, path, stamp)
        void reply.code(answer.status).headers(answer.headers)
        if (answer.part) return reply.send(fileBody(handle, answer.part))

        await handle.close()
        if (answer.status === 416) throw fail('range_not_satisfiable')
        return reply.send('')
      },
    )

    app.put(
      URL,
      {
        bodyLimit: maxBytes,
        config: { relayed: ['vault-member'] },
        schema: { params: NoteParams, response: { 200: AttachmentWritten, 201: AttachmentWritten } },
      },
      async ({ params, headers, body, caller }, reply) => {
        const { path, stamp, baseline, created } = await writeAttachment({
          vault: registry.find(params.vaultId),
          path: parseVaultPath(params['*']),
          // Keep the stream open if storing fails: the rest of the body must still be read.
          body: ((body as Readable | undefined) ?? Readable.from([])).iterator({ destroyOnReturn: false }),
          expect: expectationOf(headers),
          by: actorOf(caller),
        })
        void reply.header('etag', etagOf(baseline))
        return reply
          .code(created ? 201 : 200)
          .send({ ok: true, attachment: { ...toAttachmentView(path, stamp), baseline } })
      },
    )

    app.delete(
      URL,
      {
        config: { relayed: ['vault-member'] },
        schema: { params: NoteParams, querystring: DeleteNoteQuery, response: { 200: NoteDeleted } },
      },
      async ({ params, query, headers, caller }) => {
        const isPermanent = query.permanent === 'true'
        if (isPermanent && isMember(caller)) throw fail('forbidden')
        const etags = headers['if-match'] === undefined ? '*' : parseEtags(headers['if-match'])
        const removal = {
          vault: registry.find(params.vaultId),
          path: parseVaultPath(params['*']),
          baselines: etags === '*' ? undefined : etags,
          by: actorOf(caller),
        }
        const path = isPermanent ? await deleteAttachment.forGood(removal) : await deleteAttachment.toTrash(removal)
        return { ok: true as const, path, trashed: !isPermanent }
      },
    )
  }
}
