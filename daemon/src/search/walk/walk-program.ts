// A separate program: V8 optimizes it, unlike the daemon at its start, and its memory is returned when it ends.
import { endChild } from '../../home/end-child.ts'
import { openBlockFile } from '../segment/block-file.ts'
import { readFileTable } from '../segment/file-table.ts'
import { rememberedFolders, walkVault } from '../../watch/walk-vault.ts'
import type { FromWalk, ToWalk } from './walk-process.ts'

// The callback ignores the error when the daemon has ended meanwhile.
const send = (message: FromWalk) => process.send!(message, () => {})
const fail = (error: unknown) => send({ failed: (error as Error).message })

process.once('disconnect', endChild)
process.once('message', ({ root, file }: ToWalk) => walk(root, file).catch(fail))

/** Sends the remembered folders first, and walks them when the daemon responds that they are watched. */
async function walk(root: string, file: string): Promise<void> {
  const blocks = await openBlockFile(file)
  const section: Parameters<typeof readFileTable>[0]['section'] = (name) =>
    blocks.read(name, 0, blocks.sections[name].length)
  const files = await readFileTable({ files: blocks.files, section })
  await blocks.close()
  process.once('message', () => {
    try {
      send({ walked: walkVault({ root, files }) })
    } catch (error) {
      fail(error)
    }
  })
  send({ folders: rememberedFolders(files) })
}
