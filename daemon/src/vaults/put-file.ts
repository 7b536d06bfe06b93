import type { Actor } from '../entry/actor.ts'
import { placedAt } from '../audit/evidence.ts'
import type { FileAccess } from '../files/disk/file-access.ts'
import type { FileStamp } from '../files/file-stamp.ts'
import { inFolder, openFolder, openOrMakeFolder } from '../files/open-folder.ts'
import { moveToFree, placeOver, finishMove } from '../files/place-file.ts'
import type { StagedFile } from '../files/stage-file.ts'
import { changeVault } from './change-vault.ts'
import { checkName, makeName, type CheckedName } from './new-names.ts'
import { splitPath } from '../files/vault-path.ts'
import type { WrittenLines } from './vault-change.ts'
import type { Vault } from './vault.ts'

type Putting = {
  vault: Vault
  path: string
  staged: StagedFile
  /** The file to replace, as the writer last saw it; undefined when there was none. */
  over: { stamp: FileStamp; access: FileAccess; bytes?: Buffer } | undefined
  /** The name of a new file, if it has been checked already. */
  checked?: CheckedName | undefined
  by: Actor
  tool: string
  before: string | undefined
  /** Returns the baseline of the file after the write. */
  afterOf(stamp: FileStamp): string
  /** Only for files that can be notes. */
  bytes?: Buffer
  written?: WrittenLines | undefined
}

/**
 * Moves a staged file to its path: the only way in which a file of a vault gets content. Returns undefined, and leaves
 * the staged file as it is, when the file at the path is no longer the one that the writer saw. Runs inside the queue
 * of the path.
 */
export async function putFile(putting: Putting): Promise<FileStamp | undefined> {
  const { vault, path, staged, over, checked, by, tool, before, afterOf, bytes, written } = putting
  if (over) await staged.give(over.access)
  const name = over ? undefined : (checked ?? (await checkName(vault, path)))

  return changeVault(
    { vault, mutation: { by, tool, path, before }, evidence: placedAt(path, staged.stamp), written },
    async () => {
      await staged.durable
      const stamp = name ? await create(putting, name) : await replace(putting, over!.stamp)
      if (!stamp) return undefined
      const overwritten = over?.bytes
      await vault.wrote({ path, stamp, ...(bytes ? { bytes } : {}), created: !over, overwritten, by, written })
      return { result: stamp, after: afterOf(stamp) }
    },
  )
}

function replace({ vault, path, staged }: Putting, expected: FileStamp): Promise<FileStamp | undefined> {
  const { folders, name } = splitPath(path)
  return inFolder(openFolder(vault.files, folders), (folder) =>
    placeOver({ root: vault.files, folder, name }, staged, expected),
  )
}

async function create({ vault, path, staged }: Putting, checked: CheckedName): Promise<FileStamp | undefined> {
  const { folders, name } = splitPath(path)
  const parent = await makeName(vault, checked, async () => {
    const folder = await openOrMakeFolder(vault.files, folders)
    try {
      await staged.give(folder.ownerInside())
      if (await moveToFree(vault.files, staged.path, folder.at(name))) return folder
      await folder.close()
      return undefined
    } catch (error) {
      await folder.close()
      throw error
    }
  })
  return (
    parent &&
    inFolder(Promise.resolve(parent), (folder) =>
      finishMove({ root: vault.files, folder, name }, staged.path, staged.stamp),
    )
  )
}
