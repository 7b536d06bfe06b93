import { readdir, rm, lstat } from 'node:fs/promises'
import { z } from 'zod'
import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import type { TrashEntry } from '@svc/shared/wire/daemon.api.ts'
import { mayUndoDeletion, type Actor } from '../audit/actor.ts'
import { moveToNew } from '../files/durable-file.ts'
import { errnoOf, toFileFailure, withFileFailures } from '../files/fs-failure.ts'
import { openFolder, openOrMakeFolder, type OpenFolder } from '../files/open-folder.ts'
import { NotRegularFile, readOwnFile } from '../files/regular-file.ts'
import { refuseTwin } from '../files/refuse-twin.ts'
import type { NoteHistory } from '../history/note-history.ts'
import { identityKey, parseNewPath, parseVaultPath, splitPath } from '../vaults/vault-path.ts'
import type { Vault } from '../vaults/vault.ts'
import { trashFiles } from './move-to-trash.ts'

const EntryFile = z.object({
  path: z.string(),
  kind: z.enum(['note', 'attachment']),
  deletedAt: z.string(),
  deletedBy: z.string(),
})

const TRASH = ['.svc', 'trash']

/** What was removed from a vault and can be had back. */
export type Trash = {
  list(vault: Vault): Promise<TrashEntry[]>
  /** Puts a removed file back where it was, or at `path`; answers where. Never over another file. */
  restore(wish: { vault: Vault; id: string; path?: string | undefined; by: Actor }): Promise<string>
  /** Removes one entry for good. */
  purge(wish: { vault: Vault; id: string; by: Actor }): Promise<void>
}

/** Makes the verbs of the trash. */
export function trash({ historyOf }: { historyOf: (vault: Vault) => Pick<NoteHistory, 'purge'> }): Trash {
  async function open<T>(
    vault: Vault,
    id: string,
    use: (folder: OpenFolder, entry: TrashEntry) => Promise<T>,
  ): Promise<T> {
    const folder = await openFolder(vault.layout.root, ['.svc', 'trash', id])
    try {
      const entry = await readEntry(folder, id)
      if (!entry) throw fail('not_found')
      return await use(folder, entry)
    } finally {
      await folder.close()
    }
  }

  return {
    async list(vault) {
      const entries: TrashEntry[] = []
      for (const id of await idsOf(vault)) {
        const entry = await open(vault, id, async (_folder, found) => found).catch(nothingOfOurs)
        if (entry) entries.push(entry)
      }
      return entries.sort((a, b) => (a.id < b.id ? 1 : -1))
    },

    restore: ({ vault, id, path, by }) =>
      open(vault, id, (folder, entry) => {
        if (!mayUndoDeletion(by, entry.deletedBy)) throw fail('forbidden')
        // A file that was here under a name we would not make now still goes back under it.
        const target = path === undefined ? parseVaultPath(entry.path) : parseNewPath(path)

        return vault.queue.run(identityKey(target), () =>
          vault.queue.run('/new', async () => {
            await refuseTwin(vault.layout.root, target)
            const { folders, name } = splitPath(target)
            const parent = await openOrMakeFolder(vault.layout.root, folders)
            try {
              if (!(await moveToNew(folder.at(trashFiles.content), parent.at(name))))
                throw fail('note_exists', { path: target })
              await parent.sync()
            } finally {
              await parent.close()
            }
            await rm(folder.at(trashFiles.entry), { force: true })
            await removeEntry(vault, id)
            await vault.restored(target, by)
            await vault.audit.record({ by, tool: 'restore', path: target })
            return target
          }),
        )
      }),

    purge: ({ vault, id, by }) =>
      open(vault, id, async (_folder, { path, kind }) => {
        if (kind === 'attachment') await removeEntry(vault, id)
        else await historyOf(vault).purge({ path, deletion: id }, () => removeEntry(vault, id))
        await vault.audit.record({ by, tool: 'purge', path })
      }),
  }
}

/** The names in the trash. A trash that cannot be read is a failure; only one that is not there is empty. */
async function idsOf(vault: Vault): Promise<string[]> {
  const folder = await openFolder(vault.layout.root, TRASH).catch((error: unknown) => {
    if (isFailure(error, 'not_found')) return undefined
    throw isFailure(error, 'invalid_request') ? fail('path_conflict', { existing: TRASH.join('/') }) : error
  })
  if (!folder) return []
  try {
    return await withFileFailures(() => readdir(folder.at('.')))
  } finally {
    await folder.close()
  }
}

async function removeEntry(vault: Vault, id: string): Promise<void> {
  const trash = await openFolder(vault.layout.root, TRASH)
  try {
    await withFileFailures(() => rm(trash.at(id), { recursive: true, force: true }))
    await trash.sync()
  } finally {
    await trash.close()
  }
}

/** What is missing, or is no folder, is none of our entries. Any other failure is passed on. */
function nothingOfOurs(error: unknown): undefined {
  if (isFailure(error, 'not_found') || isFailure(error, 'invalid_request')) return undefined
  throw error
}

async function readEntry(folder: OpenFolder, id: string): Promise<TrashEntry | undefined> {
  try {
    const stat = await lstat(folder.at(trashFiles.content))
    const text = await readOwnFile(folder.at(trashFiles.entry))
    if (text === undefined || !stat.isFile()) return undefined
    return { id, size: stat.size, ...EntryFile.parse(JSON.parse(text)) }
  } catch (error) {
    const isForeign = error instanceof NotRegularFile || error instanceof SyntaxError || error instanceof z.ZodError
    if (isForeign || errnoOf(error) === 'ENOENT') return undefined
    throw toFileFailure(error)
  }
}
