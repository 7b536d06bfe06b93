import { once } from 'node:events'
import { PassThrough, type Readable } from 'node:stream'
import type { Log } from '@svc/shared/kit/log.ts'
import { fileDate } from '../files/file-date.ts'
import { ignoreMissing } from '../files/fs-failure.ts'
import { openFile } from '../files/open-file.ts'
import { listerOf } from '../watch/list-folder.ts'
import { vaultFiles } from './vault-files.ts'

type Exported = { id: string; layout: { root: string }; files: { isLocal: boolean } }

/** A zip of a vault as a byte stream. One file is open at a time, so that memory does not grow with the vault. */
export type ExportVault = (vault: Exported) => Readable

const COMPRESSED =
  /\.(?:png|jpe?g|gif|webp|avif|heic|pdf|zip|gz|xz|7z|mp[34]|m4[av]|mov|webm|ogg|opus|docx|xlsx|pptx|epub)$/i

export function createExportVault({ log }: { log: Log }): ExportVault {
  return (vault) => {
    const output = new PassThrough()
    // An incomplete archive must not look complete: cut the response.
    writeArchive(vault, output).catch((error: unknown) => {
      if (!output.destroyed) log.warn({ err: error, vault: vault.id }, 'an export could not be finished')
      output.destroy(error as Error)
    })
    return output
  }
}

async function writeArchive({ layout: { root }, files }: Exported, output: PassThrough): Promise<void> {
  const { ZipFile } = await import('yazl')
  const zip = new ZipFile()
  zip.on('error', (error: Error) => output.destroy(error))
  zip.outputStream.pipe(output)
  for await (const { kind, path } of vaultFiles(root, listerOf(files))) {
    if (output.destroyed) return
    if (kind === 'empty_folder') zip.addEmptyDirectory(nameOf(path))
    else await addFile(zip, { root, path, output })
  }
  zip.end()
}

/** The name of an entry. A path such as `Q: why.md` would be taken for one on another drive. */
const nameOf = (path: string): string => (/^[a-z]:/i.test(path) ? `./${path}` : path)

/** An entry with a time before 1970 makes the zip library fail; a later one than it can write becomes its latest. */
const zipDate = (mtimeMs: number): Date => fileDate(Math.max(mtimeMs, 0))

type Adding = { root: string; path: string; output: PassThrough }

async function addFile(zip: import('yazl').ZipFile, { root, path, output }: Adding): Promise<void> {
  // It may have been deleted after it was listed.
  const file = await openFile(root, path).catch(ignoreMissing)
  if (!file) return
  const content = file.handle.createReadStream()
  const options = { mtime: zipDate(file.stamp.mtimeMs), mode: 0o100644, compress: !COMPRESSED.test(path) }
  const stop = () => content.destroy()
  output.once('close', stop)
  try {
    const closed = once(content, 'close')
    // The export may have ended while the file was opened; nobody reads it then.
    if (output.destroyed) content.destroy()
    else zip.addReadStream(content, nameOf(path), options)
    await closed
  } finally {
    output.off('close', stop)
    content.destroy()
  }
}
