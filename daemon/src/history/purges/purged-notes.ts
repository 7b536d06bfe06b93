import { mkdir } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { z } from 'zod'
import { replaceFile, syncFolder } from '../../files/durable-file.ts'
import { withFileFailures } from '../../files/fs-failure.ts'
import { openToAppend, readOwnFile } from '../../files/regular-file.ts'

const Line = z.object({
  path: z.string(),
  /** The last deletion whose commit is not known yet, and those before it. */
  deletion: z.string().optional(),
  earlier: z.array(z.string()).optional(),
  /** Those of the deletions that moved an attachment to the trash. */
  attachments: z.array(z.string()).optional(),
  upTo: z.string().optional(),
})

/** Revisions of a note that are never served: those up to a commit, or all while that commit is unknown. */
export type Withheld = { kind: 'all' } | { kind: 'up_to'; commit: string }

/** A permanent deletion whose commit is not known yet. `fromTrash`: the file was in the trash, as an attachment. */
export type PendingPurge = { path: string; deletion: string; fromTrash?: 'attachment' | undefined }

/** What is deleted permanently: the paths of one deletion. */
export type Purge = { paths: readonly string[]; deletion: string; fromTrash?: 'attachment' | undefined }

/** The deletions of `located` were found: from now on, revisions are withheld up to the commit of each path. */
export type LocatedPurges = { located: readonly PendingPurge[]; upTo: ReadonlyMap<string, string> }

/** The permanently deleted notes of a vault. Their revisions stay in git but are no longer served. */
export type PurgedNotes = {
  load(): Promise<void>
  /** Forgets every commit, for a history that begins anew. Deletions whose commit is not known yet stay. */
  startAnew(): Promise<void>
  /** Replaces each commit of the list by what `replacement` returns for it. */
  replaceCommits(replacement: (commit: string) => string): Promise<void>
  withheld(path: string): Withheld | undefined
  /** The last commit that is withheld apart from pending deletions. */
  upTo(path: string): string | undefined
  /** All commits of the list. */
  commits(): Set<string>
  /**
   * Withholds all revisions of notes, durably, and then removes the notes. A removal that fails, or returns false
   * because it removed nothing, changes nothing.
   */
  purge(purge: Purge, remove: () => Promise<boolean>): Promise<boolean>
  /** The deletions whose commit is not known yet. */
  pending(): PendingPurge[]
  settle(purges: LocatedPurges): Promise<void>
}

/** One path can be deleted permanently several times before the first of the deletions is committed. */
type State = { deletions: readonly string[]; attachments: readonly string[]; upTo: string | undefined }

const MAX_BYTES = 64 * 1024 * 1024

/** Opens the list: one JSON object per line; the last line for a path counts. */
export function purgedNotes(file: string): PurgedNotes {
  const states = new Map<string, State>()
  const removing = new Set<{ paths: ReadonlySet<string>; deletion: string }>()
  let tail = Promise.resolve()

  const stateOf = (path: string): State => states.get(path) ?? { deletions: [], attachments: [], upTo: undefined }

  /** One write after the other: each begins with the states that the one before it has left. */
  function inTurn(run: () => Promise<void>): Promise<void> {
    const done = tail.then(() => withFileFailures(run))
    tail = done.catch(() => {})
    return done
  }

  const change = (paths: readonly string[], next: (state: State, path: string) => State) =>
    inTurn(async () => {
      const changed = paths.map((path) => [path, next(stateOf(path), path)] as const)
      await append(file, changed)
      for (const [path, state] of changed) states.set(path, state)
    })

  const changeAll = (next: (state: State) => State) =>
    inTurn(async () => {
      const changed = Array.from(states, ([path, state]) => [path, next(state)] as const)
      if (changed.length === 0) return
      const lines = changed.filter(([, { deletions, upTo }]) => deletions.length > 0 || upTo !== undefined).map(lineOf)
      await replaceFile(dirname(file), basename(file), lines.map((line) => `${line}\n`).join(''))
      for (const [path, state] of changed) states.set(path, state)
    })

  const isRemoving = ({ path, deletion }: PendingPurge) =>
    [...removing].some((removal) => removal.deletion === deletion && removal.paths.has(path))

  return {
    async load() {
      for (const text of ((await readOwnFile(file, MAX_BYTES)) ?? '').split('\n')) {
        const line = Line.safeParse(parse(text))
        if (!line.success) continue
        const { path, deletion, earlier = [], attachments = [], upTo } = line.data
        states.set(path, { deletions: deletion === undefined ? [] : [...earlier, deletion], attachments, upTo })
      }
    },
    startAnew: () => changeAll((state) => ({ ...state, upTo: undefined })),
    replaceCommits: (replacement) => changeAll((state) => ({ ...state, upTo: state.upTo && replacement(state.upTo) })),
    withheld(path) {
      const { deletions, upTo } = stateOf(path)
      if (deletions.length > 0) return { kind: 'all' }
      return upTo === undefined ? undefined : { kind: 'up_to', commit: upTo }
    },
    upTo: (path) => stateOf(path).upTo,
    commits: () => new Set(Array.from(states.values(), ({ upTo }) => upTo).filter((commit) => commit !== undefined)),
    async purge({ paths, deletion, fromTrash }, remove) {
      const removal = { paths: new Set(paths), deletion }
      removing.add(removal)
      try {
        await change(paths, (state) => ({
          ...state,
          deletions: [...state.deletions, deletion],
          attachments: fromTrash ? [...state.attachments, deletion] : state.attachments,
        }))
        let isRemoved = false
        try {
          isRemoved = await remove()
          return isRemoved
        } finally {
          if (!isRemoved) {
            const undo = (state: State) => without(state, deletion)
            await change(paths, undo).catch(() => {
              for (const path of paths) states.set(path, undo(stateOf(path)))
            })
          }
        }
      } finally {
        removing.delete(removal)
      }
    },
    pending: () =>
      [...states]
        .flatMap(([path, { deletions, attachments }]) =>
          deletions.map((deletion) => {
            const fromTrash = attachments.includes(deletion) ? ('attachment' as const) : undefined
            return { path, deletion, fromTrash }
          }),
        )
        .filter((purge) => !isRemoving(purge)),
    async settle({ located, upTo }) {
      const found = new Map<string, string[]>()
      for (const { path, deletion } of located) found.set(path, [...(found.get(path) ?? []), deletion])
      // After a crash in between, the deletion of a note is located again, and its earlier names with it.
      const others = [...upTo.keys()].filter((path) => !found.has(path))
      await change([...others, ...found.keys()], (state, path) => ({
        ...(found.get(path) ?? []).reduce(without, state),
        upTo: upTo.get(path) ?? state.upTo,
      }))
    },
  }
}

/** The state without one deletion of this name. */
function without(state: State, deletion: string): State {
  const less = (deletions: readonly string[]) => {
    const at = deletions.indexOf(deletion)
    return at === -1 ? deletions : deletions.toSpliced(at, 1)
  }
  return { ...state, deletions: less(state.deletions), attachments: less(state.attachments) }
}

function lineOf([path, { deletions, attachments, upTo }]: readonly [string, State]): string {
  const [deletion, earlier] = [deletions.at(-1), deletions.slice(0, -1)]
  const others = {
    ...(earlier.length > 0 && { earlier }),
    ...(attachments.length > 0 && { attachments: [...attachments] }),
  }
  const line: z.infer<typeof Line> = { path, deletion, ...others, upTo }
  return JSON.stringify(line)
}

async function append(file: string, states: readonly (readonly [string, State])[]): Promise<void> {
  if (states.length === 0) return
  await mkdir(dirname(file), { recursive: true })
  const handle = await openToAppend(file)
  try {
    const { size } = await handle.stat()
    // Ends a line that a crash has cut, so that it does not merge with this one.
    await handle.writeFile(`${size === 0 ? '' : '\n'}${states.map(lineOf).join('\n')}\n`)
    await handle.sync()
    if (size === 0) await syncFolder(dirname(file))
  } finally {
    await handle.close()
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
