import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { isFailure } from '@svc/shared/wire/errors.ts'
import { actorId } from '../audit/actor.ts'
import { auditLog } from '../audit/audit-log.ts'
import { changeStream } from '../events/change-stream.ts'
import { readWhole, sameStamp, type FileStamp } from '../files/open-file.ts'
import { openFolder } from '../files/open-folder.ts'
import { pathQueue } from '../files/path-queue.ts'
import { authorOf, outsideAuthor } from '../history/history-author.ts'
import { noteHistory } from '../history/note-history.ts'
import { noteFactsOf, type FileFacts } from '../notes/note-facts.ts'
import { noteTextOf } from '../notes/note-text.ts'
import { searchIndex } from '../search/search-index.ts'
import { stampAt } from '../watch/list-folder.ts'
import { Manifest } from '../watch/manifest.ts'
import { vaultWatch } from '../watch/vault-watch.ts'
import { readVaultFile, type VaultFile } from './vault-identity.ts'
import { vaultLayout } from './vault-layout.ts'
import { identityKey, isMarkdownName } from './vault-path.ts'
import type { OwnWrite, Vault } from './vault.ts'

type Options = {
  id: string
  root: string
  file: VaultFile
  auditFolder: string
  historyFolder: string
  searchPath: string
  maxNoteBytes: number
  clock: Clock
  log: Log
}

/** Opens a vault: answers at once, while listing and indexing go on beside. Changes no file of the vault. */
export function openVault({
  id,
  root,
  file,
  auditFolder,
  historyFolder,
  searchPath,
  maxNoteBytes,
  clock,
  log,
}: Options): Vault {
  const queue = pathQueue()
  const manifest = new Manifest()
  const index = searchIndex()
  const changes = changeStream()
  const layout = vaultLayout(root)
  const history = noteHistory({ gitDir: join(historyFolder, `${id}.git`), searchPath, clock, log })
  let indexed = false
  let closed = false

  const watch = vaultWatch({
    root,
    manifest,
    recheck: (path) => recheck(path),
    onFolder: (path, kind) => indexed && changes.publish({ kind, what: 'folder', path, origin: 'outside' }),
    isPresent: async () => (await readVaultFile(root).catch(() => undefined))?.identity === file.identity,
    log,
  })

  function learn(path: string, stamp: FileStamp, content: { facts: FileFacts; text?: string }): void {
    manifest.putFile({ path, stamp, facts: content.facts })
    if (content.facts.kind === 'note') index.put(path, content.facts, content.text ?? '')
    else index.remove(path)
  }

  function look(path: string, bytes: Buffer | undefined): { facts: FileFacts; text?: string } {
    const text = bytes === undefined ? undefined : noteTextOf(path, bytes)
    if (bytes === undefined || text === undefined) return { facts: { kind: 'attachment' } }
    return { facts: noteFactsOf(path, bytes, text), text }
  }

  function forget(path: string): FileFacts | undefined {
    const facts = manifest.file(path)?.facts
    manifest.removeFile(path)
    index.remove(path)
    return facts
  }

  function wrote({ path, stamp, bytes, created, by }: OwnWrite): void {
    const folders = path.split('/').slice(0, -1)
    for (const depth of folders.keys()) watch.addFolder(folders.slice(0, depth + 1).join('/'))
    const content = look(path, bytes)
    learn(path, stamp, content)
    if (content.facts.kind === 'note') history.record({ path, bytes, author: authorOf(by) })
    const baseline = content.facts.kind === 'note' ? content.facts.baseline : undefined
    const kind = created ? 'created' : 'changed'
    changes.publish({ kind, what: content.facts.kind, path, baseline, origin: 'api', actor: actorId(by) })
  }

  const recheck = (path: string) =>
    queue.run(identityKey(path), async () => {
      const known = manifest.file(path)
      const stamp = await stampAt(join(root, path))
      if (!stamp) {
        if (!known) return
        const facts = forget(path)
        if (facts?.kind === 'note') history.record({ path, bytes: undefined, author: outsideAuthor })
        changes.publish({ kind: 'deleted', what: facts?.kind ?? 'attachment', path, origin: 'outside' })
        return
      }
      if (known?.facts && sameStamp(known.stamp, stamp)) return

      const seen = await readIfMarkdown(path, stamp)
      if (!seen) return
      const content = look(path, seen.bytes)
      learn(path, seen.stamp, content)
      if (known && !known.facts) return

      const baseline = content.facts.kind === 'note' ? content.facts.baseline : undefined
      const before = known?.facts?.kind === 'note' ? known.facts.baseline : undefined
      if (known && baseline !== undefined && baseline === before) return
      if (content.facts.kind === 'note') history.record({ path, bytes: seen.bytes, author: outsideAuthor })
      const kind = known ? 'changed' : 'created'
      changes.publish({ kind, what: content.facts.kind, path, baseline, origin: 'outside' })
    })

  async function readIfMarkdown(
    path: string,
    stamp: FileStamp,
  ): Promise<{ stamp: FileStamp; bytes?: Buffer } | undefined> {
    if (!isMarkdownName(path)) return { stamp }
    try {
      return await readWhole(root, path, maxNoteBytes)
    } catch (error) {
      if (isFailure(error, 'not_found')) return undefined
      if (!isFailure(error, 'payload_too_large'))
        log.warn({ err: error, vault: id }, 'a file cannot be read; it is listed as an attachment')
      return { stamp }
    }
  }

  async function readAll(): Promise<void> {
    for (const { path, facts } of manifest.files()) {
      if (closed) return
      if (!facts) await recheck(path)
    }
    indexed = true
    const notes = manifest
      .files()
      .flatMap(({ path, facts }) => (facts?.kind === 'note' ? [[path, facts.blob] as const] : []))
    void history.catchUp(new Map(notes), async (path) => {
      const found = await readWhole(root, path, maxNoteBytes).catch(() => undefined)
      return found?.bytes
    })
  }

  const listed = clearStage(root).then(() => watch.start())
  const reading = listed
    .then(readAll)
    .catch((error: unknown) => log.error({ err: error, vault: id }, 'a vault could not be read'))
  listed.catch(() => {})

  return {
    id,
    identity: file.identity,
    displayName: file.displayName,
    createdAt: file.createdAt,
    layout,
    queue,
    manifest,
    index,
    changes,
    audit: auditLog({ folder: auditFolder, vaultId: id, clock }),
    history,
    listed,
    isIndexed: () => indexed,
    recheck,
    wrote,
    async restored(path, by) {
      const stamp = await stampAt(join(root, path))
      const seen = stamp && (await readIfMarkdown(path, stamp))
      if (seen) wrote({ path, ...seen, created: true, by })
    },
    removed({ path, by, deletion }) {
      const facts = forget(path)
      if (facts?.kind === 'note') history.record({ path, bytes: undefined, deletion, author: authorOf(by) })
      changes.publish({ kind: 'deleted', what: facts?.kind ?? 'attachment', path, origin: 'api', actor: actorId(by) })
    },
    flush: () => queue.drain(),
    async close() {
      closed = true
      await watch.close()
      await reading
      await queue.drain()
      await history.close()
    },
  }
}

/** Removes what a killed process left half written; none of it was ever acknowledged. */
async function clearStage(root: string): Promise<void> {
  const folder = await openFolder(root, ['.svc', 'tmp']).catch((error: unknown) => {
    if (isFailure(error)) return undefined
    throw error
  })
  try {
    for (const name of folder ? await readdir(folder.at('.')) : []) await rm(folder!.at(name), { force: true })
  } finally {
    await folder?.close()
  }
}
