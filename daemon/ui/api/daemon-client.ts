import type * as wire from '@svc/shared/wire/daemon/daemon.api.ts'
import type { Moved } from '@svc/shared/wire/daemon/daemon-moves.api.ts'
import type * as history from '@svc/shared/wire/daemon/daemon-history.api.ts'
import type * as reverts from '@svc/shared/wire/daemon/daemon-reverts.api.ts'
import type * as trash from '@svc/shared/wire/daemon/daemon-trash.api.ts'
import { UNATTENDED } from '@svc/shared/wire/daemon/live-address.ts'
import type { z } from 'zod'
import { agentCalls } from './agent-calls.ts'
import { linkCalls } from './link-calls.ts'
import { newsCalls } from './news-calls.ts'
import { personCalls } from './person-calls.ts'
import { readAnswer } from './read-answer.ts'
import { Refusal } from './refusal.ts'
import { encodePath, vaultUrl } from './vault-addresses.ts'

export type VaultSummary = z.infer<typeof wire.VaultSummary>
export type TreeNode = wire.TreeNode
/** A note as the UI keeps it; it parses the text itself. */
export type Note = Pick<z.infer<typeof wire.Note>['note'], 'path' | 'content' | 'baseline' | 'properties'>
export type TrashEntry = trash.TrashEntry
export type Revision = z.infer<typeof history.Revision>
export type Author = z.infer<typeof history.Author>
export type LineRun = z.infer<typeof history.LineRun>
export type RevertedNote = z.infer<typeof reverts.RevertedNote>
export type SearchHit = z.infer<typeof wire.SearchHit>
export type SearchAnswer = z.infer<typeof wire.SearchResult>
export type DaemonClient = ReturnType<typeof daemonClient>

/** A note by its vault and vault-relative path. */
export type NoteRef = { vaultId: string; path: string }

type Deps = { fetch: typeof fetch; heard: (outcome: Refusal | undefined) => void }
type Call = {
  method?: string
  headers?: Record<string, string>
  body?: unknown
  /** The text of a note, sent as it is. */
  markdown?: string | Blob
  /** Bytes, sent as they are. */
  bytes?: Blob
  redirect?: 'manual'
  signal?: AbortSignal
}

const noteUrl = ({ vaultId, path }: NoteRef) => `${vaultUrl(vaultId)}/notes/${encodePath(path)}`
const historyUrl = ({ vaultId, path }: NoteRef) => `${vaultUrl(vaultId)}/history/${encodePath(path)}`
const folderUrl = ({ vaultId, path }: NoteRef) => `${vaultUrl(vaultId)}/folders/${encodePath(path)}`
const quoted = (baseline: string) => `"${baseline}"`

/** Where the bytes of an attachment are. */
export function attachmentUrl({ vaultId, path }: NoteRef): string {
  return `${vaultUrl(vaultId)}/attachments/${encodePath(path)}`
}

/** The change stream of a vault. */
export function eventsUrl(vaultId: string): string {
  return `${vaultUrl(vaultId)}/events`
}

/** The live session of a note. An unattended connection does not wake the host. */
export function liveUrl({ vaultId, path }: NoteRef, { isUnattended = false } = {}): string {
  const query = isUnattended ? `?${UNATTENDED}` : ''
  return `${window.location.origin.replace(/^http/, 'ws')}${vaultUrl(vaultId)}/live/${encodePath(path)}${query}`
}

/** The daemon's REST API. Every outcome is passed to `heard`, which derives the connection state from it. */
export function daemonClient({ fetch, heard }: Deps) {
  const call = async <T>(
    url: string,
    { method = 'GET', headers, body, markdown, bytes, redirect, signal }: Call = {},
    read: (response: Response) => Promise<T> = readAnswer<T>,
  ): Promise<T> => {
    try {
      const response = await fetch(url, {
        method,
        credentials: 'same-origin',
        headers: {
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(markdown !== undefined && { 'content-type': 'text/markdown' }),
          ...(bytes !== undefined && { 'content-type': bytes.type || 'application/octet-stream' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(markdown !== undefined && { body: markdown }),
        ...(bytes !== undefined && { body: bytes }),
        ...(redirect && { redirect }),
        ...(signal && { signal }),
      }).catch((cause: unknown) => {
        if (signal?.aborted) throw cause
        throw new Refusal({ code: 'network', message: 'The host does not answer.' })
      })
      const answer = await read(response)
      heard(undefined)
      return answer
    } catch (thrown) {
      if (thrown instanceof Refusal) heard(thrown)
      throw thrown
    }
  }

  const readText = (ref: NoteRef, signal?: AbortSignal): Promise<Note> =>
    call<Note>(noteUrl(ref), { signal, headers: { accept: 'text/markdown' } }, async (response) => {
      if (!response.ok) return readAnswer<never>(response)
      const baseline = response.headers.get('etag')?.replaceAll('"', '') ?? ''
      return { path: ref.path, content: await response.text(), baseline, properties: {} }
    })

  const writeNote = async (ref: NoteRef, content: string | Blob, headers: Record<string, string>): Promise<string> => {
    type Written = z.infer<typeof wire.NoteWritten>
    const { note } = await call<Written>(noteUrl(ref), { method: 'PUT', headers, markdown: content })
    return note.baseline
  }

  return {
    ...agentCalls(call),
    ...linkCalls(call),
    ...newsCalls(call),
    ...personCalls(call),

    /** Saves all live text of the vault to its files. */
    flush: (vaultId: string): Promise<void> =>
      call<unknown>(`${vaultUrl(vaultId)}/ops/flush`, { method: 'POST', body: {} }).then(() => undefined),

    createVault: async (request: z.infer<typeof wire.CreateVaultRequest>) =>
      (await call<z.infer<typeof wire.VaultCreated>>('/api/vaults', { method: 'POST', body: request })).vault,

    readTree: (vaultId: string, signal?: AbortSignal) =>
      call<z.infer<typeof wire.Tree>>(`${vaultUrl(vaultId)}/tree`, { signal }),

    /** The children of one folder, for a tree that was cut off there. */
    readFolder: async (vaultId: string, path: string) =>
      (await call<z.infer<typeof wire.Tree>>(`${vaultUrl(vaultId)}/tree?path=${encodeURIComponent(path)}`)).tree,

    /** A note as JSON without its links, or only its text if the note is too long for JSON. */
    readNote: (ref: NoteRef, signal?: AbortSignal): Promise<Note> =>
      call<z.infer<typeof wire.Note>>(`${noteUrl(ref)}?links=false`, { signal }).then(
        ({ note }) => note,
        (thrown: unknown) => {
          if (thrown instanceof Refusal && thrown.code === 'payload_too_large') return readText(ref, signal)
          throw thrown
        },
      ),

    /** Creates a note where none is; `note_exists` otherwise. A file is sent byte for byte. */
    createNote: (ref: NoteRef, content: string | Blob) => writeNote(ref, content, { 'if-none-match': '*' }),

    /** Replaces the text of a note that still has this baseline. */
    replaceNote: (ref: NoteRef, content: string, baseline: string) =>
      writeNote(ref, content, { 'if-match': quoted(baseline) }),

    /** Moves a note that still has this baseline to the vault's trash. */
    trashNote: (ref: NoteRef, baseline: string) =>
      call<z.infer<typeof wire.NoteDeleted>>(noteUrl(ref), {
        method: 'DELETE',
        headers: { 'if-match': quoted(baseline) },
      }),

    /** Moves a file that is not a note to the trash. */
    trashAttachment: (ref: NoteRef): Promise<void> =>
      call<unknown>(attachmentUrl(ref), { method: 'DELETE' }).then(() => undefined),

    /** Makes a folder; an existing one is fine. */
    createFolder: (ref: NoteRef): Promise<void> =>
      call<unknown>(folderUrl(ref), { method: 'POST' }).then(() => undefined),

    /** Moves a folder with its content to the trash. */
    trashFolder: (ref: NoteRef): Promise<void> =>
      call<unknown>(folderUrl(ref), { method: 'DELETE' }).then(() => undefined),

    /** The plan of a move: the links that it would rewrite, by note. */
    planMove: (vaultId: string, move: { from: string; to: string }, signal?: AbortSignal) =>
      call<Moved>(`${vaultUrl(vaultId)}/move`, { method: 'POST', body: { ...move, dryRun: true }, signal }),

    move: (vaultId: string, move: { from: string; to: string; rewriteLinks: boolean }) =>
      call<Moved>(`${vaultUrl(vaultId)}/move`, { method: 'POST', body: move }),

    /** Stores a file where none is; `note_exists` otherwise. */
    createAttachment: (ref: NoteRef, file: Blob): Promise<void> =>
      call<unknown>(attachmentUrl(ref), { method: 'PUT', headers: { 'if-none-match': '*' }, bytes: file }).then(
        () => undefined,
      ),

    /** One page of the trash, the last deleted first. */
    listTrash: (
      vaultId: string,
      { limit, cursor }: { limit: number; cursor?: string | undefined },
      signal?: AbortSignal,
    ) => {
      const query = `limit=${limit}${cursor === undefined ? '' : `&cursor=${cursor}`}`
      return call<z.infer<typeof trash.TrashList>>(`${vaultUrl(vaultId)}/trash?${query}`, { signal })
    },

    /** One page of the deleted notes that only the history still has. `cursor` is the number of the first one. */
    listDeletedNotes: (vaultId: string, cursor: string, signal?: AbortSignal) =>
      call<z.infer<typeof history.DeletedNotes>>(`${vaultUrl(vaultId)}/deleted?cursor=${cursor}`, { signal }),

    /** Restores a deleted file; returns its path. */
    restoreTrash: (vaultId: string, id: string) =>
      call<z.infer<typeof trash.TrashRestored>>(`${vaultUrl(vaultId)}/trash/${id}/restore`, {
        method: 'POST',
        body: {},
      }).then(({ path }) => path),

    /** Deletes a file in the trash for good. */
    purgeTrash: (vaultId: string, id: string): Promise<void> =>
      call<unknown>(`${vaultUrl(vaultId)}/trash/${id}`, { method: 'DELETE' }).then(() => undefined),

    /** One page of the versions of a note, newest first. `cursor` is the number of the first one. */
    listRevisions: (ref: NoteRef, cursor: string, signal?: AbortSignal) =>
      call<z.infer<typeof history.HistoryAnswer>>(`${historyUrl(ref)}?limit=200&cursor=${cursor}`, { signal }),

    /** Where the note is now that was last at this path; undefined when the history does not know. */
    findMoved: async (ref: NoteRef, signal?: AbortSignal) =>
      (await call<z.infer<typeof history.HistoryAnswer>>(`${historyUrl(ref)}?limit=1`, { signal })).movedTo,

    readRevision: async (ref: NoteRef, rev: string, signal?: AbortSignal) =>
      (await call<z.infer<typeof history.HistoryAnswer>>(`${historyUrl(ref)}?rev=${rev}`, { signal })).content ?? '',

    /**
     * Saves the text of a version as a new change. `baseline` is that of the current note; undefined for a deleted
     * note.
     */
    restoreRevision: (ref: NoteRef, rev: string, baseline: string | undefined): Promise<void> =>
      call<unknown>(`${historyUrl(ref)}/restore`, { method: 'POST', body: { rev, baseline } }).then(() => undefined),

    /** Who wrote each run of lines of a note. */
    readAuthors: async (ref: NoteRef, signal?: AbortSignal) =>
      (
        await call<z.infer<typeof history.AuthorsAnswer>>(`${vaultUrl(ref.vaultId)}/authors/${encodePath(ref.path)}`, {
          signal,
        })
      ).note,

    search: (vaultId: string, query: { q: string; cursor?: string }, signal?: AbortSignal) => {
      const parameters = new URLSearchParams({ q: query.q, ...(query.cursor && { cursor: query.cursor }) })
      return call<SearchAnswer>(`${vaultUrl(vaultId)}/search?${parameters}`, { signal })
    },
  }
}
