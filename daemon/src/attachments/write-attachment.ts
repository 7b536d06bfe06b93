import { lstat } from 'node:fs/promises'
import { fail } from '@svc/shared/wire/errors.ts'
import type { Actor } from '../audit/actor.ts'
import { placeNew, placeOver, stageStream, type StagedFile } from '../files/durable-file.ts'
import { errnoOf } from '../files/fs-failure.ts'
import { stampOf, type FileStamp } from '../files/open-file.ts'
import { openFolder, openOrMakeFolder } from '../files/open-folder.ts'
import { refuseTwin } from '../files/refuse-twin.ts'
import { removeFile } from '../notes/delete-note.ts'
import type { Expectation } from '../notes/save-note.ts'
import type { MoveToTrash } from '../trash/move-to-trash.ts'
import { identityKey, isMarkdownName, parseNewPath, splitPath, type VaultPath } from '../vaults/vault-path.ts'
import type { Vault } from '../vaults/vault.ts'
import { attachmentBaseline } from './attachment-version.ts'

type Upload = { vault: Vault; path: VaultPath; body: AsyncIterable<Buffer>; expect: Expectation; by: Actor }
type Written = { path: string; stamp: FileStamp; baseline: string; created: boolean }

/** Stores an attachment: the body is complete and synced before anything in the vault changes. */
export type WriteAttachment = (upload: Upload) => Promise<Written>

/** Makes the verb. */
export function writeAttachment({ maxBytes }: { maxBytes: number }): WriteAttachment {
  return async ({ vault, path, body, expect, by }) => {
    if (isMarkdownName(path)) throw fail('invalid_request', [{ path: 'path', message: 'is the path of a note' }])
    const staged = await stageStream(vault.layout.root, limited(body, maxBytes))
    try {
      return await vault.queue.run(identityKey(path), async () => {
        const onDisk = vault.manifest.onDisk(path)
        const current = await currentStamp(vault, onDisk)
        const before = current && attachmentBaseline(current)
        refuseUnexpected(expect, before)

        const target = current ? onDisk : parseNewPath(path)
        const stamp = current ? await replace(vault, staged, target) : await create(vault, staged, target)
        await vault.wrote({ path: target, stamp, created: !current, by })
        const baseline = attachmentBaseline(stamp)
        await vault.audit.record({ by, tool: 'write_attachment', path: target, before, after: baseline })
        return { path: target, stamp, baseline, created: !current }
      })
    } finally {
      await staged.discard()
    }
  }
}

async function* limited(body: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > maxBytes) throw fail('payload_too_large', { maxBytes })
    yield chunk
  }
}

async function currentStamp(vault: Vault, path: string): Promise<FileStamp | undefined> {
  const { folders, name } = splitPath(path)
  const folder = await openFolder(vault.layout.root, folders).catch(() => undefined)
  try {
    const stat = folder && (await lstat(folder.at(name)))
    if (stat && !stat.isFile()) throw fail('path_conflict', { existing: path })
    return stat && stampOf(stat)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  } finally {
    await folder?.close()
  }
}

function refuseUnexpected(expect: Expectation, before: string | undefined): void {
  if (before === undefined) {
    if (expect.kind === 'one_of' || expect.kind === 'any') throw fail('not_found')
    return
  }
  if (expect.kind === 'absent') throw fail('note_exists', { baseline: before })
  if (expect.kind === 'unsaid')
    throw fail('invalid_request', [{ path: 'if-match', message: 'is needed to replace a file that exists' }])
  if (expect.kind === 'one_of' && !expect.baselines.includes(before)) throw fail('stale_doc', { baseline: before })
}

async function replace(vault: Vault, staged: StagedFile, path: string): Promise<FileStamp> {
  const { folders, name } = splitPath(path)
  const folder = await openFolder(vault.layout.root, folders)
  try {
    return await placeOver(staged, folder, name)
  } finally {
    await folder.close()
  }
}

function create(vault: Vault, staged: StagedFile, path: string): Promise<FileStamp> {
  return vault.queue.run('/new', async () => {
    await refuseTwin(vault.layout.root, path)
    const { folders, name } = splitPath(path)
    const folder = await openOrMakeFolder(vault.layout.root, folders)
    try {
      const stamp = await placeNew(staged, folder, name)
      if (!stamp) throw fail('note_exists', { path })
      return stamp
    } finally {
      await folder.close()
    }
  })
}

type Removal = { vault: Vault; path: VaultPath; baselines?: readonly string[] | undefined; by: Actor }

/** Removes an attachment, to the trash or for good. */
export type DeleteAttachment = {
  toTrash(removal: Removal): Promise<string>
  forGood(removal: Removal): Promise<string>
}

/** Makes both verbs. */
export function deleteAttachment({ moveToTrash }: { moveToTrash: MoveToTrash }): DeleteAttachment {
  const remove = ({ vault, path, baselines, by }: Removal, how: (path: string) => Promise<unknown>) =>
    vault.queue.run(identityKey(path), async () => {
      const onDisk = vault.manifest.onDisk(path)
      if (vault.manifest.file(onDisk)?.facts?.kind === 'note')
        throw fail('invalid_request', [{ path: 'path', message: 'is the path of a note' }])
      const stamp = await currentStamp(vault, onDisk)
      if (!stamp) throw fail('not_found')
      const before = attachmentBaseline(stamp)
      if (baselines && !baselines.includes(before)) throw fail('stale_doc', { baseline: before })
      await how(onDisk)
      vault.removed({ path: onDisk, by })
      await vault.audit.record({ by, tool: 'delete_attachment', path: onDisk, before })
      return onDisk
    })

  return {
    toTrash: (removal) =>
      remove(removal, (path) => moveToTrash({ vault: removal.vault, path, kind: 'attachment', by: removal.by })),
    forGood: (removal) => remove(removal, (path) => removeFile(removal.vault.layout.root, path)),
  }
}
