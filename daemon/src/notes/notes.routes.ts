import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import {
  DeleteNoteQuery,
  EditNoteRequest,
  Note,
  NoteDeleted,
  NoteEdited,
  NoteParams,
  NoteQuery,
  NoteWritten,
  WriteNoteRequest,
} from '@svc/shared/wire/daemon/daemon.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { MAX_JSON_LENGTH } from '../http/http-server.ts'
import { etagOf, expectationOf, isNotModified, knownBaselines, parseEtags } from '../http/conditional.ts'
import { negotiate } from '../http/negotiation.ts'
import { actorOf, isMember } from '../http/request-caller.ts'
import { holdBody, type TextRoom } from '../http/text-room.ts'
import type { LinksOfNote } from '../links/links-of-note.ts'
import type { VaultRegistry } from '../vaults/vault-registry.ts'
import { parseVaultPath } from '../files/vault-path.ts'
import type { DeleteNote } from './delete-note.ts'
import type { EditNote } from './edit-note.ts'
import { nextTurn, decodeNote } from './decode-note.ts'
import type { NoteReader } from './read-note.ts'
import type { SaveNote } from './save-note.ts'
import type { StoredNote } from './stored-note.ts'
import { openNoteStream } from './stream-note.ts'

type Deps = {
  registry: VaultRegistry
  noteReader: NoteReader
  linksOfNote: LinksOfNote
  saveNote: SaveNote
  editNote: EditNote
  deleteNote: DeleteNote
  textRoom: TextRoom
  maxBodyBytes: number
}

const URL = '/api/vaults/:vaultId/notes/*'
const MARKDOWN = 'text/markdown'
const MARKDOWN_UTF8 = `${MARKDOWN}; charset=utf-8`

/** Read, create, replace and delete a note. */
export function notesRoutes({
  registry,
  noteReader,
  linksOfNote,
  saveNote,
  editNote,
  deleteNote,
  textRoom,
  maxBodyBytes,
}: Deps): FastifyPluginAsyncZod {
  const preParsing = holdBody(textRoom, maxBodyBytes)
  return async (app) => {
    app.addContentTypeParser(MARKDOWN, { parseAs: 'buffer' }, async (_request: unknown, bytes: Buffer) => {
      await nextTurn(bytes.length)
      const content = decodeNote(bytes)
      if (content === undefined) throw fail('invalid_request', [{ path: 'body', message: 'is not UTF-8 text' }])
      await nextTurn(bytes.length)
      return { content }
    })

    app.get(
      URL,
      {
        config: { relayed: ['vault-member'], produces: ['application/json', MARKDOWN] },
        schema: { params: NoteParams, querystring: NoteQuery, response: { 200: Note, 304: z.undefined() } },
      },
      async ({ params, query, headers, caller }, reply) => {
        const vault = registry.find(params.vaultId)
        const path = parseVaultPath(params['*'])
        const isMarkdown = negotiate(headers.accept, ['application/json', MARKDOWN]) === MARKDOWN
        const known = knownBaselines(headers)
        const isKnown = (baseline: string) => {
          void reply.header('etag', etagOf(baseline)).header('vary', 'accept')
          return isNotModified(known, baseline)
        }
        const streamed = isMarkdown ? await openNoteStream(vault, path) : undefined
        if (streamed) {
          const { baseline, size, stream } = streamed
          if (!isKnown(baseline))
            return reply
              .type(MARKDOWN_UTF8)
              .header('content-length', size)
              .send(stream as never)
          stream.destroy()
          return reply.code(304).send(undefined)
        }
        const view = await noteReader.use(vault, path, async (note) => {
          if (isKnown(note.baseline)) return void reply.code(304).send(undefined)
          if (isMarkdown) {
            await textRoom.until(reply.raw, caller)(note.bytes.length)
            return void reply.type(MARKDOWN_UTF8).send(note.bytes as never)
          }
          refuseLong(note)
          return noteReader.view(note)
        })
        if (view === undefined) return reply
        // Other reads of large notes wait for the turn of this one, so the links are found after it.
        const links = query.links === 'true' ? await linksOfNote(vault, view.path) : {}
        return { ok: true as const, note: { ...view, ...links } }
      },
    )

    app.put(
      URL,
      {
        bodyLimit: maxBodyBytes,
        preParsing,
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
        preParsing,
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

/** Refuses a note that is too long for JSON, before it is parsed. */
function refuseLong({ text }: StoredNote): void {
  if (text.length > MAX_JSON_LENGTH)
    throw fail('payload_too_large', { maxLength: MAX_JSON_LENGTH, hint: 'Ask for text/markdown.' })
}

function onlyBaseline(header: string | undefined): string | undefined {
  const baselines = header === undefined ? '*' : parseEtags(header)
  if (baselines === '*') return undefined
  if (baselines.length !== 1) throw fail('invalid_request', [{ path: 'if-match', message: 'takes one baseline here' }])
  return baselines[0]
}
