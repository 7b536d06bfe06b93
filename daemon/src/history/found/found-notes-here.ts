import { outsideAuthor } from '../../entry/author.ts'
import type { Commit } from '../import-stream.ts'
import { BYTES_AT_ONCE, foundFiles, type FoundNotes } from './found-files.ts'

type Options = {
  read(path: string): Promise<Buffer | undefined>
  write(commit: Commit): Promise<void>
  pause(): Promise<void> | undefined
}

/** Reads a few notes in this process: starting another one would take longer. */
export function foundNotesHere({ read, write, pause }: Options): FoundNotes {
  let contents = new Map<string, Buffer>()
  return {
    async read(paths) {
      contents = new Map()
      const missing: string[] = []
      let [taken, bytes] = [0, 0]
      for (; taken < paths.length && bytes < BYTES_AT_ONCE; taken++) {
        await pause()
        const path = paths[taken]!
        const content = await read(path)
        if (content) contents.set(path, content)
        else missing.push(path)
        bytes += content?.length ?? 0
      }
      return { taken, missing, bytes }
    },
    write({ paths, gone, message, at }) {
      const files = foundFiles({ paths, gone }, contents)
      contents = new Map()
      return write({ author: outsideAuthor, at, message, files })
    },
    close: async () => {},
  }
}
