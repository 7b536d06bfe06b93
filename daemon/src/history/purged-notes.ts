import { mkdir, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import { syncFolder } from '../files/durable-file.ts'
import { withFileFailures } from '../files/fs-failure.ts'
import { openToAppend, readOwnFile } from '../files/regular-file.ts'

const Line = z.object({ path: z.string(), deletion: z.string().optional(), upTo: z.string().optional() })

/** Revisions of a note that are never served: those up to a commit, or all while that commit is unknown. */
export type Withheld = { kind: 'all' } | { kind: 'up_to'; commit: string }

/**
 * A permanent deletion whose commit is not known yet. `before` is the last commit that an earlier deletion withholds.
 */
export type PendingPurge = { path: string; deletion: string; before: string | undefined }

/** The permanently deleted notes of a vault. Their revisions stay in git but are no longer served. */
export type PurgedNotes = {
  load(): Promise<void>
  /** Forgets every commit, for a history that begins anew. Deletions whose commit is not known yet stay. */
  startAnew(): Promise<void>
  withheld(path: string): Withheld | undefined
  /**
   * Withholds all revisions of a note, durably, and then removes it. A removal that fails, or returns false because it
   * removed nothing, changes nothing.
   */
  purge(note: { path: string; deletion: string }, remove: () => Promise<boolean>): Promise<boolean>
  /** The deletions whose commit is not known yet. */
  pending(): PendingPurge[]
  /** The commit of a deletion was found: withholds the revisions up to it. */
  located(purge: PendingPurge, upTo: string | undefined): Promise<void>
  /** Withholds the revisions of a path up to a commit; of a renamed note, those under its earlier names, too. */
  withholdUpTo(path: string, upTo: string): Promise<void>
}

type State = { deletion?: string | undefined; upTo?: string | undefined }

const MAX_BYTES = 64 * 1024 * 1024

/** Opens the list: one JSON object per line; the last line for a path counts. */
export function purgedNotes(file: string): PurgedNotes {
  const states = new Map<string, State>()
  const removing = new Set<string>()
  let tail = Promise.resolve()

  function append(path: string, state: State): Promise<void> {
    const done = tail.then(() => withFileFailures(() => appendLine(file, { path, ...state })))
    tail = done.catch(() => {})
    return done
  }

  return {
    async load() {
      for (const text of ((await readOwnFile(file, MAX_BYTES)) ?? '').split('\n')) {
        const line = Line.safeParse(parse(text))
        if (line.success) states.set(line.data.path, line.data)
      }
    },
    async startAnew() {
      const pending = [...states].filter(([, { deletion }]) => deletion !== undefined)
      states.clear()
      await rm(file, { force: true })
      for (const [path, { deletion }] of pending) {
        await append(path, { deletion })
        states.set(path, { deletion })
      }
    },
    withheld(path) {
      const state = states.get(path)
      if (state?.deletion !== undefined) return { kind: 'all' }
      return state?.upTo === undefined ? undefined : { kind: 'up_to', commit: state.upTo }
    },
    async purge({ path, deletion }, remove) {
      const before = states.get(path) ?? {}
      const state = { deletion, upTo: before.upTo }
      await append(path, state)
      states.set(path, state)
      removing.add(path)
      let isRemoved = false
      try {
        isRemoved = await remove()
        return isRemoved
      } finally {
        if (!isRemoved) {
          states.set(path, before)
          await append(path, before).catch(() => {})
        }
        removing.delete(path)
      }
    },
    pending: () =>
      [...states].flatMap(([path, { deletion, upTo }]) =>
        deletion === undefined || removing.has(path) ? [] : [{ path, deletion, before: upTo }],
      ),
    async located({ path, deletion }, upTo) {
      // The note was permanently deleted again meanwhile: the commit of that deletion is still to be found.
      if (states.get(path)?.deletion !== deletion) return
      await append(path, { upTo })
      states.set(path, { upTo })
    },
    async withholdUpTo(path, upTo) {
      const state = { deletion: states.get(path)?.deletion, upTo }
      await append(path, state)
      states.set(path, state)
    },
  }
}

async function appendLine(file: string, line: z.infer<typeof Line>): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  const handle = await openToAppend(file)
  try {
    const { size } = await handle.stat()
    // Ends a line that a crash has cut, so that it does not merge with this one.
    await handle.writeFile(`${size === 0 ? '' : '\n'}${JSON.stringify(line)}\n`)
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
