import type { Author } from '../entry/author.ts'

/** A future commit: the contents of files at that time, or their deletion. `at` in seconds since 1970. */
export type Commit = {
  author: Author
  at: number
  message: string
  files: { path: string; bytes: Buffer | undefined }[]
}

/** The branch that holds the history of a vault. */
export const BRANCH = 'refs/heads/main'

/** The commits as input of `git fast-import`; `isFirst` when the branch does not exist yet. Pure. */
export function importStream(commits: readonly Commit[], { isFirst }: { isFirst: boolean }): Buffer {
  const parts: Buffer[] = []
  const line = (text: string) => parts.push(Buffer.from(`${text}\n`))
  const data = (bytes: Buffer) => {
    line(`data ${bytes.length}`)
    parts.push(bytes, Buffer.from('\n'))
  }

  for (const [index, { author, at, message, files }] of commits.entries()) {
    line(`commit ${BRANCH}`)
    line(`author ${clean(author.name)} <${clean(author.id)}@svc.invalid> ${at} +0000`)
    line(`committer svcd <svcd@svc.invalid> ${at} +0000`)
    data(Buffer.from(message))
    if (index === 0 && !isFirst) line(`from ${BRANCH}^0`)
    for (const { path, bytes } of files) {
      if (bytes === undefined) line(`D ${quote(path)}`)
      else {
        line(`M 100644 inline ${quote(path)}`)
        data(bytes)
      }
    }
  }
  line('done')
  return Buffer.concat(parts)
}

/** The id of an author, from the address in a commit. */
export const authorIdOf = (email: string): string => email.slice(0, email.lastIndexOf('@'))

/** Names in git's own lines contain no brackets and no line ends. */
const clean = (text: string): string => text.replace(/[<>\p{Cc}]/gu, ' ').trim() || 'unknown'

/** C-style quotes, with which any path can be written. */
function quote(path: string): string {
  const octal = (character: string) =>
    Array.from(Buffer.from(character), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
  return `"${path.replace(/["\\]/g, '\\$&').replace(/\p{Cc}/gu, octal)}"`
}
