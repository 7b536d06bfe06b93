// A separate program: the notes of a large vault take hundreds of megabytes of memory, which are freed when it ends.
import { endChild } from '../../home/end-child.ts'
import { VaultReader } from '../../files/read-vault-sync.ts'
import { gitProcess } from '../git/git-process.ts'
import { importStream } from '../import-stream.ts'
import { outsideAuthor } from '../../entry/author.ts'
import { BYTES_AT_ONCE, foundFiles } from './found-files.ts'
import type { FoundNotesPlace, FromFoundNotes, ToFoundNotes } from './found-notes-process.ts'
import type { FoundCommit, ReadNotes } from './found-files.ts'

const giveUp = new AbortController()
let working: Promise<unknown> = Promise.resolve()
let serve: ((message: ToFoundNotes) => Promise<FromFoundNotes>) | undefined

// The daemon is done with this process, is about to stop, or was killed. Git is ended first.
process.once('disconnect', () => {
  giveUp.abort(new Error('given up'))
  void working.finally(endChild)
})
process.on('message', (message: ToFoundNotes) => {
  if ('place' in message) serve = serverOf(message.place)
  else working = serve!(message).catch(toFailure).then(send)
})

const toFailure = (error: unknown): FromFoundNotes => ({ failed: (error as Error).message })

function send(message: FromFoundNotes): void {
  if (process.connected) process.send!(message, () => {})
}

function serverOf({ root, maxNoteBytes, gitDir, searchPath }: FoundNotesPlace): NonNullable<typeof serve> {
  const reader = new VaultReader({ root, maxBytes: maxNoteBytes })
  const git = gitProcess({ gitDir, searchPath, signal: giveUp.signal })
  let contents = new Map<string, Buffer>()

  function read(paths: readonly string[]): ReadNotes {
    contents = new Map()
    const missing: string[] = []
    let [taken, bytes] = [0, 0]
    for (; taken < paths.length && bytes < BYTES_AT_ONCE; taken++) {
      const path = paths[taken]!
      const content = reader.read(path, 'bytes')?.bytes
      if (!content) missing.push(path)
      // The reader reuses its buffer.
      else contents.set(path, Buffer.from(content))
      bytes += content?.length ?? 0
    }
    return { taken, missing, bytes }
  }

  async function write({ paths, gone, message, at, isFirst }: FoundCommit): Promise<void> {
    const files = foundFiles({ paths, gone }, contents)
    contents = new Map()
    const commit = { author: outsideAuthor, at, message, files }
    await git(['fast-import', '--quiet', '--done'], importStream([commit], { isFirst }))
  }

  return async (message) => {
    if ('read' in message) return { read: read(message.read) }
    if ('write' in message) await write(message.write)
    return { written: true }
  }
}
