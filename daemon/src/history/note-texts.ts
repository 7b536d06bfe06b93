import type { Author } from '../entry/author.ts'
import type { WrittenLines } from '../vaults/vault-change.ts'
import { gitBytes } from './git/git-process.ts'
import { inReadingTurn } from './git/reading-turns.ts'
import { openCommitted, type ReadGit } from './history-reader.ts'
import type { NoteHistory } from './note-history.ts'
import { renameChain, type Stretch } from './renames/rename-chain.ts'
import { readCommits } from './vault-commits.ts'

/** One revision of a note: the name of its content at that time, or undefined if the note was gone. */
export type NoteRevision = {
  rev: string
  path: string
  author: Author
  atMs: number
  content: string | undefined
  written: WrittenLines | undefined
  /** The note is older than the history, so its author is not known. */
  isFound: boolean
}

/** Reads the revisions of a note with all that is known of their authors, and the texts that they had. */
export type NoteTexts = {
  /**
   * The newest committed revisions, oldest first. If `since` is one of them (`isSince`), those after it, otherwise at
   * most `most`; `hasOlder` when there are more.
   */
  revisions(
    history: NoteHistory,
    note: { path: string; since?: string | undefined; most: number },
  ): Promise<{ revisions: NoteRevision[]; hasOlder: boolean; isSince: boolean }>
  /** The lengths of contents by their names, in the same order. */
  sizes(history: NoteHistory, names: readonly string[]): Promise<number[]>
  /** The bytes of contents by their names, in the same order. */
  contents(history: NoteHistory, names: readonly string[]): Promise<Buffer[]>
}

/** Reads the committed texts of notes, and their authors. */
export function createNoteTexts({ searchPath }: { searchPath: string }): NoteTexts {
  const open = openCommitted({ searchPath })
  const gitOf = ({ gitDir }: NoteHistory) => {
    const run = gitBytes({ gitDir, searchPath })
    return (args: readonly string[], input: Buffer) => inReadingTurn(() => run(args, input))
  }
  const linesOf = (names: readonly string[]) => Buffer.from(names.map((name) => `${name}\n`).join(''))

  return {
    async revisions(history, { path, since, most }) {
      const git = await open(history)
      const found: NoteRevision[] = []
      if (!git) return { revisions: [], hasOlder: false, isSince: false }
      let isSince = false
      let isCut = false
      for await (const stretch of renameChain({ records: git.records, path, withheld: history.withheld })) {
        const some = await revisionsOf(git, stretch, most + 1 - found.length)
        isCut = some.isCut
        const known = some.revisions.findIndex(({ rev }) => rev === since)
        found.push(...(known === -1 ? some.revisions : some.revisions.slice(0, known)))
        isSince = known !== -1
        if (isSince || isCut || found.length > most) break
      }
      return {
        revisions: found.slice(0, most).reverse(),
        hasOlder: !isSince && (isCut || found.length > most),
        isSince,
      }
    },
    async sizes(history, names) {
      if (names.length === 0) return []
      const output = await gitOf(history)(['cat-file', '--batch-check=%(objectsize)'], linesOf(names))
      return output.toString('latin1').trimEnd().split('\n').map(Number)
    },
    async contents(history, names) {
      if (names.length === 0) return []
      const wanted = [...new Set(names)]
      const output = await gitOf(history)(['cat-file', '--batch'], linesOf(wanted))
      const contents = new Map<string, Buffer>()
      let at = 0
      for (const name of wanted) {
        const end = output.indexOf('\n', at)
        const [, type, size] = output.toString('latin1', at, end).split(' ')
        if (type !== 'blob') throw new Error(`the history has no content ${name}`)
        contents.set(name, output.subarray(end + 1, end + 1 + Number(size)))
        at = end + 1 + Number(size) + 1
      }
      return names.map((name) => contents.get(name)!)
    },
  }
}

/** Newest first. A stretch that began with a rename ends with the revision of that rename. */
async function revisionsOf(git: ReadGit, { path, range }: Stretch, most: number) {
  const { commits, isCut } = await readCommits(git, { range, most, path })
  const revisions = commits.flatMap(({ rev, author, atMs, written, isFound, files }): NoteRevision[] => {
    // To git, a path also stands for all files of a folder with this name.
    const file = files.find((one) => one.path === path)
    return file ? [{ rev, path, author, atMs, written, isFound, content: file.after }] : []
  })
  const isFull = revisions.length < commits.length && commits.length === most
  return { revisions, isCut: isCut || isFull }
}
