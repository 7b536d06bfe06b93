import { readFile, readdir, rm, lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import type { TrashEntry } from '@svc/shared/wire/daemon.api.ts'
import type { Actor } from '../audit/actor.ts'
import { actorId } from '../audit/actor.ts'
import { moveToNew, syncFolder } from '../files/durable-file.ts'
import { openFolder, openOrMakeFolder, type OpenFolder } from '../files/open-folder.ts'
import { refuseTwin } from '../files/refuse-twin.ts'
import { identityKey, parseNewPath, parseVaultPath, splitPath } from '../vaults/vault-path.ts'
import type { Vault } from '../vaults/vault.ts'
import { trashFiles } from './move-to-trash.ts'

const EntryFile = z.object({
  path: z.string(),
  kind: z.enum(['note', 'attachment']),
  deletedAt: z.string(),
  deletedBy: z.string(),
})

/** What was removed from a vault and can be had back. */
export type Trash = {
  list(vault: Vault): Promise<TrashEntry[]>
  /** Puts a removed file back where it was, or at `path`; answers where. Never over another file. */
  restore(wish: { vault: Vault; id: string; path?: string | undefined; by: Actor }): Promise<string>
  /** Removes one entry for good. */
  purge(wish: { vault: Vault; id: string; by: Actor }): Promise<void>
}

/** Makes the verbs of the trash. */
export function trash(): Trash {
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
      const ids = await readdir(vault.layout.trash).catch(() => [])
      const entries = await Promise.all(
        ids.map((id) =>
          open(vault, id, async (_folder, entry) => entry).catch((error: unknown) => {
            if (isFailure(error)) return undefined
            throw error
          }),
        ),
      )
      return entries.filter((entry) => entry !== undefined).sort((a, b) => (a.id < b.id ? 1 : -1))
    },

    restore: ({ vault, id, path, by }) =>
      open(vault, id, (folder, entry) => {
        const person = by.kind === 'person' && by.role !== 'admin'
        if (person && entry.deletedBy !== actorId(by)) throw fail('forbidden')
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
            await rm(join(vault.layout.trash, id), { recursive: true, force: true })
            await vault.restored(target, by)
            await vault.audit.record({ by, tool: 'restore', path: target })
            return target
          }),
        )
      }),

    purge: ({ vault, id, by }) =>
      open(vault, id, async (_folder, entry) => {
        await rm(join(vault.layout.trash, id), { recursive: true, force: true })
        await syncFolder(vault.layout.trash)
        await vault.audit.record({ by, tool: 'purge', path: entry.path })
      }),
  }
}

async function readEntry(folder: OpenFolder, id: string): Promise<TrashEntry | undefined> {
  try {
    const stat = await lstat(folder.at(trashFiles.content))
    const entry = EntryFile.parse(JSON.parse(await readFile(folder.at(trashFiles.entry), 'utf8')))
    return stat.isFile() ? { id, size: stat.size, ...entry } : undefined
  } catch {
    return undefined
  }
}
