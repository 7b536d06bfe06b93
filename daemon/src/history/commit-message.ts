/** The beginning of every line that names a rename. */
export const RENAME = 'Svc-Renamed: '
/** The beginning of every line that names the restoration of a note at another path. */
export const RESTORED = 'Svc-Restored: '
/** The beginning of every line about an attachment or folder. */
export const MOVED = 'Svc-Moved: '
const DELETION = 'Svc-Deletion: '
const BATCH = 'Svc-Batch: '
const PERSON = 'Svc-Person: '
const INTEGRATION = 'Svc-Integration: '
const REGISTRATION = 'Svc-Registration: '
const CHANGES = 'Svc-Changes: '

/** A person as written in a line of a commit message. */
export type NamedPerson = { id: string; name: string }

/** A note whose path changed. With a `deletion`, it was deleted at the old path and restored at the new one. */
export type Rename = { from: string; to: string; deletion?: string }

/**
 * What happened to an attachment or folder, whose content is not in the history. It was moved; created, without `from`;
 * removed, without `to`, by the `deletion` that put it into the trash; or its content was replaced, with `to` equal to
 * `from`. `is` identifies it: inode, size and time of its content.
 */
export type MovedThing = {
  kind: 'attachment' | 'folder'
  from?: string | undefined
  to?: string | undefined
  is: { ino: number; size: number; mtimeMs: number }
  deletion?: string | undefined
}

/** The line of a commit that names what happened to an attachment or folder. */
export const movedTrailer = ({ kind, from, to, is, deletion }: MovedThing): string =>
  MOVED + JSON.stringify([kind, from ?? null, to ?? null, is.ino, is.size, is.mtimeMs, ...(deletion ? [deletion] : [])])

/** What the commit with this message did to attachments and folders. */
export function movedIn(message: string): MovedThing[] {
  const lines = message.split('\n').filter((line) => line.startsWith(MOVED))
  return lines.map((line) => {
    const [kind, from, to, ino, size, mtimeMs, deletion] = JSON.parse(line.slice(MOVED.length)) as MovedLine
    return { kind, from: from ?? undefined, to: to ?? undefined, is: { ino, size, mtimeMs }, deletion }
  })
}

type MovedLine = [MovedThing['kind'], string | null, string | null, number, number, number, string?]

/** The line by which the commit of one deletion is found again. */
export const deletionTrailer = (deletion: string): string => `${DELETION}${deletion}`

/** The end of the line about an attachment that this deletion removed. */
export const movedEnding = (deletion: string): string => `,${JSON.stringify(deletion)}]`

/** The names of the deletions that a commit with this message made. */
export function deletionsIn(message: string): string[] {
  const lines = message.split('\n').filter((line) => line.startsWith(DELETION))
  return lines.map((line) => line.slice(DELETION.length))
}

/** The line that names the person for whom an agent made a commit. */
export const personTrailer = ({ id, name }: NamedPerson): string => `${PERSON}${JSON.stringify([id, name])}`

/** The person for whom the commit with this message was made. */
export function personIn(message: string): NamedPerson | undefined {
  const line = message.split('\n').find((one) => one.startsWith(PERSON))
  if (line === undefined) return undefined
  const [id, name] = JSON.parse(line.slice(PERSON.length)) as [string, string]
  return { id, name }
}

/** The line that names the integration as which the organization approved the agent of a commit. */
export const integrationTrailer = (integration: string): string => `${INTEGRATION}${JSON.stringify(integration)}`

/** The integration as which the organization approved the agent of the commit with this message. */
export const integrationIn = (message: string): string | undefined => textIn(message, INTEGRATION)

/** The line that names the id under which the control plane knows the agent of a commit. */
export const registrationTrailer = (registration: string): string => `${REGISTRATION}${JSON.stringify(registration)}`

/** The id under which the control plane knows the agent of the commit with this message. */
export const registrationIn = (message: string): string | undefined => textIn(message, REGISTRATION)

function textIn(message: string, trailer: string): string | undefined {
  const line = message.split('\n').find((one) => one.startsWith(trailer))
  return line === undefined ? undefined : (JSON.parse(line.slice(trailer.length)) as string)
}

/** The line with the number of changes that were merged into a commit. */
export const changesTrailer = (count: number): string => `${CHANGES}${count}`

/** The number of changes that were merged into the commit with this message. */
export function changesIn(message: string): number {
  const line = message.split('\n').find((one) => one.startsWith(CHANGES))
  return line === undefined ? 1 : Number(line.slice(CHANGES.length))
}

/** The line of a commit that renames a note. */
export const renameTrailer = ({ from, to }: Rename): string => `${RENAME}${JSON.stringify([from, to])}`

/** The line of a commit that restores a note at another path than the one where it was deleted. */
export const restoredTrailer = ({ from, to, deletion }: Required<Rename>): string =>
  `${RESTORED}${JSON.stringify([deletion, from, to])}`

/** The end of the line in every commit that renames a note to this path, or restores it there. */
export const renameEnding = (to: string): string => `,${JSON.stringify(to)}]`

/** The beginning of the line in every commit that renames the note of this path. */
export const renameBeginning = (from: string): string => `${RENAME}[${JSON.stringify(from)},`

/** The subject of the first commits of a history: nobody knows who wrote these notes, or when. */
export const FOUND = 'Notes as they were found'

/** Whether a commit with this message contains notes that are older than the history. */
export const isFound = (message: string): boolean => message.split('\n', 1)[0] === FOUND

/** The line that ends the last commit of a batch: it proves that the whole batch was written. */
export const batchTrailer = (batch: string): string => `${BATCH}${batch}`

/**
 * The message of a commit: a subject of one line and lines for the daemon itself. A path with line ends in it cannot
 * forge such a line. Pure.
 */
export function commitMessage(subject: string, trailers: readonly string[] = []): string {
  const first = subject.replace(/\p{Cc}/gu, ' ')
  return trailers.length === 0 ? `${first}\n` : `${first}\n\n${trailers.join('\n')}\n`
}

/** The subject of a commit that only deletes a file. */
export const deletionSubject = (path: string): string => `Delete ${path}`

/** All renames that a commit with this message made. */
export function renamesIn(message: string): Rename[] {
  return linesIn(message, RENAME).map((line) => {
    const [from, to] = JSON.parse(line) as [string, string]
    return { from, to }
  })
}

/** The deleted notes that a commit with this message restored at other paths. */
export function restoredIn(message: string): Required<Rename>[] {
  return linesIn(message, RESTORED).map((line) => {
    const [deletion, from, to] = JSON.parse(line) as [string, string, string]
    return { from, to, deletion }
  })
}

/** The rename to this path that a commit with this message made, also by restoring a deleted note. */
export function renameIn(message: string, to: string): Rename | undefined {
  return [...renamesIn(message), ...restoredIn(message)].find((rename) => rename.to === to)
}

const linesIn = (message: string, beginning: string): string[] =>
  message
    .split('\n')
    .filter((line) => line.startsWith(beginning))
    .map((line) => line.slice(beginning.length))

/** Where the commit with this message moved the note of this path. Of many renames only this one is parsed. */
export function renameFrom(message: string, from: string): string | undefined {
  const at = message.indexOf(`\n${renameBeginning(from)}`)
  if (at === -1) return undefined
  const end = message.indexOf('\n', at + 1)
  return renamesIn(message.slice(at + 1, end === -1 ? undefined : end))[0]?.to
}

/** The batches whose last commits have these messages. */
export function batchesIn(messages: string): Set<string> {
  const lines = messages.split('\n').filter((line) => line.startsWith(BATCH))
  return new Set(lines.map((line) => line.slice(BATCH.length)))
}
