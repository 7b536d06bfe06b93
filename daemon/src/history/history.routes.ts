import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import type { z } from 'zod'
import { HistoryAnswer, HistoryQuery, RestoreRevision } from '@svc/shared/wire/daemon/daemon-history.api.ts'
import { NoteParams, NoteWritten } from '@svc/shared/wire/daemon/daemon.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { mayUndoDeletion } from '../entry/actor.ts'
import { etagOf } from '../http/conditional.ts'
import { JSON_TYPE, jsonInSlices } from '../http/json-in-slices.ts'
import { actorOf } from '../http/request-caller.ts'
import type { TextRoom } from '../http/text-room.ts'
import type { SaveNote } from '../notes/save-note.ts'
import { parseVaultPath, type VaultPath } from '../files/vault-path.ts'
import type { Trash } from '../trash/trash.ts'
import type { VaultRegistry } from '../vaults/vault-registry.ts'
import type { Vault } from '../vaults/vault.ts'
import { slices } from '../watch/slices.ts'
import type { NoteHistory } from './note-history.ts'
import type { ReadHistory } from './read-history.ts'
import { NOT_KNOWN } from './renames/deleters-since.ts'
import type { FindMoved } from './renames/find-moved.ts'

type Deps = {
  registry: VaultRegistry
  historyOf: (vault: Vault) => NoteHistory
  readHistory: ReadHistory
  findMoved: FindMoved
  saveNote: SaveNote
  trash: Pick<Trash, 'returned'>
  textRoom: TextRoom
}

const URL = '/api/vaults/:vaultId/history/*'
const RESTORE = '/restore'

/** Routes of revisions: list those of a note, read the text of one, compare two, and restore one. */
export function historyRoutes({
  registry,
  historyOf,
  readHistory,
  findMoved,
  saveNote,
  trash,
  textRoom,
}: Deps): FastifyPluginAsyncZod {
  return async (app) => {
    app.get(
      URL,
      {
        config: { relayed: ['vault-member'] },
        schema: { params: NoteParams, querystring: HistoryQuery, response: { 200: HistoryAnswer } },
      },
      async ({ params, query: { rev, from, to, limit, cursor }, caller }, reply) => {
        const vault = registry.find(params.vaultId)
        const history = historyOf(vault)
        const path = vault.manifest.onDisk(parseVaultPath(params['*']))
        const common = { ok: true as const, state: history.state(), path }
        // Texts may be as long as a note.
        const send = (answer: z.infer<typeof HistoryAnswer>) =>
          reply.type(JSON_TYPE).send(jsonInSlices(answer, slices()) as never)
        const reserve = textRoom.until(reply.raw, caller)
        if (rev !== undefined)
          return send({ ...common, rev, content: await readHistory.textAt(history, { path, rev, reserve }) })
        if (from !== undefined && to !== undefined)
          return send({ ...common, diff: await readHistory.diff(history, { path, from, to, reserve }) })
        if (from !== undefined || to !== undefined)
          throw fail('invalid_request', [
            { path: from === undefined ? 'from' : 'to', message: 'is needed for a difference' },
          ])

        const offset = cursor ?? 0
        const { revisions, hasMore } = await readHistory.revisions(history, { path, limit, offset })
        const isGone = async () => {
          if (offset > 0 || vault.manifest.file(path)) return false
          // Before that, every note looks like one that is gone.
          const isListed = await vault.listed.then(() => true).catch(() => false)
          return isListed && vault.manifest.file(path) === undefined
        }
        const movedTo = (await isGone()) ? await findMoved(history, path) : undefined
        return {
          ...common,
          state: history.state(),
          revisions,
          ...(movedTo !== undefined && vault.manifest.file(movedTo) ? { movedTo } : {}),
          ...(hasMore ? { nextCursor: String(offset + limit) } : {}),
        }
      },
    )

    app.post(
      URL,
      {
        config: { relayed: ['vault-member'] },
        schema: { params: NoteParams, body: RestoreRevision, response: { 200: NoteWritten, 201: NoteWritten } },
      },
      async ({ params, body: { rev, baseline }, caller }, reply) => {
        const vault = registry.find(params.vaultId)
        const path = restoredPath(params['*'])
        const by = actorOf(caller)
        const place = { path: vault.manifest.onDisk(path), rev }
        const reserve = textRoom.until(reply.raw, caller)
        const history = historyOf(vault)
        const content = await readHistory.textAt(history, { ...place, reserve })
        // A deletion that is in no commit yet may be anybody's.
        if (!mayUndoDeletion(by, NOT_KNOWN)) await history.complete()
        const deleters = await readHistory.deletersSince(history, place)
        if (!deleters.every((deleter) => mayUndoDeletion(by, deleter))) throw fail('forbidden')
        const saved = await saveNote({
          vault,
          path,
          content,
          expect: baseline === undefined ? { kind: 'absent' } : { kind: 'one_of', baselines: [baseline] },
          by,
          tool: 'restore_revision',
        })
        const deletion = saved.created
          ? await readHistory.deletionAfter(history, place).catch(() => undefined)
          : undefined
        // The note is back already, even if its entry cannot be removed now.
        if (deletion) await trash.returned({ vault, ...deletion }).catch(() => {})
        void reply.header('etag', etagOf(saved.baseline))
        return reply
          .code(saved.created ? 201 : 200)
          .send({ ok: true, note: { path: saved.path, baseline: saved.baseline } })
      },
    )
  }
}

/** The URL ends in /restore, after the path of the note. */
function restoredPath(text: string): VaultPath {
  if (!text.endsWith(RESTORE)) throw fail('not_found')
  return parseVaultPath(text.slice(0, -RESTORE.length))
}
