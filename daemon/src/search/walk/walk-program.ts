// A program of its own: V8 optimizes it, which the daemon does without at its start, and gives back its memory at its end.
import { openBlockFile } from '../segment/block-file.ts'
import { readFileTable } from '../segment/file-table.ts'
import { rememberedFolders, walkVault } from '../../watch/walk-vault.ts'
import type { FromWalk, ToWalk } from './walk-process.ts'

const tell = (message: FromWalk) => process.send!(message)

process.once('disconnect', () => process.exit())
process.once('message', ({ root, file }: ToWalk) => void walk(root, file))

/** Tells the remembered folders first, and goes through them when the daemon says that they are watched. */
async function walk(root: string, file: string): Promise<void> {
  const blocks = await openBlockFile(file)
  const section: Parameters<typeof readFileTable>[0]['section'] = (name) =>
    blocks.read(name, 0, blocks.sections[name].length)
  const files = await readFileTable({ files: blocks.files, section })
  await blocks.close()
  process.once('message', () => tell({ walked: walkVault({ root, files }) }))
  tell({ folders: rememberedFolders(files) })
}
