import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import {
  DeleteNoteQuery,
  EditNoteRequest,
  Note,
  NoteDeleted,
  NoteEdited,
  NoteParams,
  NoteWritten,
  WriteNoteRequest,
} from '@svc/shared/wire/daemon/daemon.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { MAX_JSON_LENGTH } from '../http/http-server.ts'
import { etagOf, expectationOf, isNotModified, parseEtags } from '../http/conditional.ts'
import { negotiate } from '../http/negotiation.ts'
import { actorOf, isMember } from '../http/request-caller.ts'
import type { VaultRegistry } from '../vaults/vault-registry.ts'
import { parseVaultPath } from '../files/vault-path.ts'
import type { DeleteNote } from './delete-note.ts'
import type { EditNote } from './edit-note.ts'
import { nextTurn, decodeNote } from './decode-note.ts'
import type { ReadNote } from './read-note.ts'
import type { SaveNote } from './save-note.ts'

type Deps = {
  registry: VaultRegistry
  readNote: ReadNote
  saveNote: SaveNote
  editNote: EditNote
  deleteNote: DeleteNote
  maxBodyBytes: number
}

const URL = '/api/vaults/:vaultId/notes/*'
const MARKDOWN = 'text/markdown'

/** Read, create, replace and delete a note. */
export function notesRoutes({
  registry,
  readNote,
  saveNote,
  editNote,
  deleteNote,
  maxBodyBytes,
}: Deps): FastifyPluginAsyncZod {
  return async (app) => {
    app.addContentTypeParser(MARKDOWN, { parseAs: 'buffer' }, async (_request: unknown, bytes: Buffer) => {
      await nextTurn(bytes.length)
      const content = decodeNote(bytes)
      if (content === undefined) throw fail('invalid_request', [{ path: 'body', message: 'is not UTF-8' }])
      await nextTurn(bytes.length)
      return { content }
    })

    app.get(
      URL,
      {
        config: { relayed: ['vault-member'], produces: ['application/json', MARKDOWN] },
        schema: { params: NoteParams, response: { 200: Note, 304: z.undefined() } },
      },
      async ({ params, headers }, reply) => {
        const note = await readNote(registry.find(params.vaultId), parseVaultPath(params['*']))
        void reply.header('etag', etagOf(note.baseline)).header('vary', 'accept')
        if (isNotModified(headers, note.baseline)) return reply.code(304).send(undefined)

        if (negotiate(headers.accept, ['application/json', MARKDOWN]) === MARKDOWN) {
          await nextTurn(note.content.length)
          const bytes = Buffer.from(note.content)
          await nextTurn(note.content.length)
          return reply.type(`${MARKDOWN}; charset=utf-8`).send(bytes as never)
        }
        if (note.content.length > MAX_JSON_LENGTH)
          throw fail('payload_too_large', { maxLength: MAX_JSON_LENGTH, hint: 'Ask for text/markdown.' })
        return { ok: true as const, note }
      },
    )

    app.put(
      URL,
      {
        bodyLimit: maxBodyBytes,
        config: { relayed: ['vault-member'] },
        schema: { params: NoteParams, body: WriteNoteRequest, response: { 200: NoteWritten, 201: NoteWritten } },
      },
      async ({ params, headers, body, caller }, reply) => {
        const { path, baseline, created } = await saveNote({
          vault: registry.find(params.vaultId),
          path: parseVaultPath(params['*']),
          content: body.content,
          expect: expectationOf(headers),
          by: actorOf(caller),
          tool: 'write_note',
        })
        void reply.header('etag', etagOf(baseline))
        return reply.code(created ? 201 : 200).send({ ok: true, note: { path, baseline } })
      },
    )

    app.patch(
      URL,
      {
        bodyLimit: maxBodyBytes,
        config: { relayed: ['vault-member'] },
        schema: { params: NoteParams, body: EditNoteRequest, response: { 200: NoteEdited } },
      },
      async ({ params, body, caller }, reply) => {
        const { path, baseline, ...rest } = await editNote({
          vault: registry.find(params.vaultId),
          path: parseVaultPath(params['*']),
          ...body,
          by: actorOf(caller),
          tool: 'edit_note',
        })
        void reply.header('etag', etagOf(baseline))
        return { ok: true as const, note: { path, baseline }, ...rest }
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
        const deletion = {
          vault: registry.find(params.vaultId),
          path: parseVaultPath(params['*']),
          baseline: onlyBaseline(headers['if-match']),
          by: actorOf(caller),
          tool: 'delete_note',
        }
        const deleted = isPermanent ? await deleteNote.forGood(deletion) : await deleteNote.toTrash(deletion)
        return { ok: true as const, ...deleted }
      },
    )
  }
}

function onlyBaseline(header: string | undefined): string | undefined {
  const baselines = header === undefined ? '*' : parseEtags(header)
  if (baselines === '*') return undefined
  if (baselines.length !== 1) throw fail('invalid_request', [{ path: 'if-match', message: 'takes one baseline here' }])
  return baselines[0]
}
