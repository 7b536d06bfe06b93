import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { AllRead, NewsAnswer, NewsQuery, NoteRead, ReadAll, ReadUpTo } from '@svc/shared/wire/daemon/daemon-news.api.ts'
import { NoteParams, VaultParams } from '@svc/shared/wire/daemon/daemon.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { authorView } from '../entry/author.ts'
import { parseVaultPath } from '../files/vault-path.ts'
import { actorOf, type RequestCaller } from '../http/request-caller.ts'
import { currentNote, storedNote } from '../notes/stored-note.ts'
import type { VaultRegistry } from '../vaults/vault-registry.ts'
import { readerOf } from './reader.ts'
import type { VaultNews } from './follow-news.ts'

type Deps = { registry: VaultRegistry; newsOf: (vault: { id: string }) => VaultNews; maxNoteBytes: number }

const READINGS = '/api/vaults/:vaultId/readings'

/** What changed since the caller last read a vault, and recording that they have read it. */
export function newsRoutes({ registry, newsOf, maxNoteBytes }: Deps): FastifyPluginAsyncZod {
  const readerHere = (caller: RequestCaller): string => {
    const reader = readerOf(actorOf(caller))
    if (reader === undefined) throw fail('forbidden')
    return reader
  }

  return async (app) => {
    app.get(
      '/api/vaults/:vaultId/news',
      {
        config: { relayed: ['vault-member'] },
        schema: { params: VaultParams, querystring: NewsQuery, response: { 200: NewsAnswer } },
      },
      async ({ params, query: { limit }, caller }) => {
        const { since, notes, newest, by } = await newsOf(registry.find(params.vaultId)).newsFor(readerHere(caller))
        const changed = newest.slice(0, limit).map(({ path, at, authors }) => ({
          path,
          at: new Date(at).toISOString(),
          authors: authors.map(authorView),
        }))
        const counts = by.map(({ author, notes: many }) => ({ author: authorView(author), notes: many }))
        return {
          ok: true as const,
          news: { since: new Date(since).toISOString(), notes, by: counts, changed },
        }
      },
    )

    app.put(
      READINGS,
      {
        config: { relayed: ['vault-member'] },
        schema: { params: VaultParams, body: ReadAll, response: { 200: AllRead } },
      },
      async ({ params, caller }) => {
        const since = await newsOf(registry.find(params.vaultId)).readAll(readerHere(caller))
        return { ok: true as const, since: new Date(since).toISOString() }
      },
    )

    app.put(
      `${READINGS}/*`,
      {
        config: { relayed: ['vault-member'] },
        schema: { params: NoteParams, body: ReadUpTo, response: { 200: NoteRead } },
      },
      async ({ params, body: { baseline }, caller }) => {
        const vault = registry.find(params.vaultId)
        const place = { vault, path: parseVaultPath(params['*']), maxNoteBytes }
        const [current, stored] = [await currentNote(place), await storedNote(place)]
        const both = [current.baseline, stored.baseline]
        await newsOf(vault).read({ reader: readerHere(caller), path: stored.path, baseline, current: both })
        return { ok: true as const, note: { path: stored.path, baseline } }
      },
    )
  }
}
