// A separate program: V8 optimizes it, unlike the daemon at its start, and its memory is returned when it ends.
import { endChild } from '../../home/end-child.ts'
import { openBlockFile } from '../segment/block-file.ts'
import { readFileTable, type FileTable } from '../segment/file-table.ts'
import { rememberedFolders, walkVault } from '../../watch/walk-vault.ts'
import type { FromWalk, ToWalk } from './walk-process.ts'

// The callback ignores the error when the daemon has ended meanwhile.
const send = (message: FromWalk) => process.send!(message, () => {})
const fail = (error: unknown) => send({ failed: (error as Error).message })

process.once('disconnect', endChild)

// Prepared at once, because the daemon asks later.
const prepared = prepare(process.argv[2]!)
prepared.catch(() => {}) // reported when the daemon asks
process.once('message', ({ root }: ToWalk) => walk(root).catch(fail))

/** The files that a segment remembers, and their folders. */
async function prepare(file: string): Promise<{ files: FileTable; folders: string[] }> {
  const blocks = await openBlockFile(file)
  const section: Parameters<typeof readFileTable>[0]['section'] = (name) =>
    blocks.read(name, 0, blocks.sections[name].length)
  const files = await readFileTable({ files: blocks.files, section })
  await blocks.close()
  return { files, folders: rememberedFolders(files) }
}

/** Sends the remembered folders first, and walks them when the daemon responds that they are watched. */
async function walk(root: string): Promise<void> {
  const { files, folders } = await prepared
  process.once('message', () => {
    try {
      // Short paths take a tenth less time: the system looks up each part of a path.
      process.chdir(root)
      send({ walked: walkVault({ root: '.', files }) })
    } catch (error) {
      fail(error)
    }
  })
  send({ folders })
}
