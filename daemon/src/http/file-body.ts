import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { fail } from '@svc/shared/wire/errors.ts'

/**
 * The bytes of an open file as a body whose length is announced; closes the file. Reads nothing before somebody reads
 * it. Fails at the end if another program has cut the file short meanwhile: Node would end such a response without
 * closing the connection. The reader would wait for the rest, or take the next response on the connection for it.
 */
export function fileBody(handle: FileHandle, { start, end }: { start: number; end: number }): Readable {
  const file = handle.createReadStream({ start, end })
  const content = async function* () {
    for await (const chunk of file) yield chunk as Buffer
    if (file.bytesRead < end - start + 1)
      throw fail('stale_doc', undefined, { message: 'The file became shorter while it was sent.' })
  }
  return Readable.from(content(), { objectMode: false }).once('close', () => file.destroy())
}
