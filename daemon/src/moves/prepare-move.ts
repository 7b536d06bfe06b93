import type { Moved, MovedNote } from '@svc/shared/wire/daemon/daemon-moves.api.ts'
import { at, statOf } from '../journal/held-files.ts'
import { FOLDERS_FILE, type Rewrite } from '../journal/move-intent.ts'
import { noFolder, withFileFailures } from '../files/fs-failure.ts'
import { sameStamp, stampOf, type FileStamp } from '../files/file-stamp.ts'
import { newName, stageFiles } from '../files/stage-file.ts'
import type { VaultPath } from '../files/vault-path.ts'
import type { Vault } from '../vaults/vault.ts'
import { moveSource, moveTarget, type MoveSource } from './moved-files.ts'
import type { Links, PlannedMove, PlanMove } from './move-plan.ts'
import type { PlannedRewrite } from './links-plan.ts'

/** A move that can be made at once: the new content of every rewritten file is on disk. */
export type PreparedMove = {
  source: MoveSource
  answer: Moved
  rewrites: Rewrite[]
  /** The notes that are rewritten and not moved. */
  stays: string[]
  /** False when a link or a file has changed since, or the target is taken. */
  isCurrent(): Promise<boolean>
  /** Removes what was written and not used. */
  discard(): Promise<void>
}

type Wish = { vault: Vault; from: VaultPath; to: string; links: Links }

export type PrepareMove = {
  /** Returns what a move would do, and writes nothing. */
  plan(wish: Wish): Promise<{ answer: Moved }>
  stage(wish: Wish): Promise<PreparedMove>
}

const MAX_NOTES = 500
const MAX_CHANGES = 20
const MAX_LINK = 300

export function createPrepareMove({ planMove }: { planMove: PlanMove }): PrepareMove {
  return {
    async plan(wish) {
      const { source, to } = await endsOf(wish)
      const answer = answerOf(source, to)
      const plan = await planMove({ ...wish, source, to }, async (rewrite) => answer.add(rewrite))
      return { answer: answer.whole(plan) }
    },

    async stage(wish) {
      const { vault } = wish
      const { source, to } = await endsOf(wish)
      const answer = answerOf(source, to)
      const stage = await stageFiles(vault.files)
      const rewrites: Rewrite[] = []
      const stamps = new Map<string, FileStamp>()
      try {
        const plan = await planMove({ ...wish, source, to }, async (rewrite) => {
          answer.add(rewrite)
          await vault.files.makeRoom(rewrite.content.length)
          const { name, stamp } = await stage.add(rewrite)
          stamps.set(rewrite.path, rewrite.stamp)
          const { path, stamp: before } = rewrite
          rewrites.push({ path, staged: name, held: newName(), before, after: stamp })
        })
        const paths = rewrites.map(({ path }) => path)
        return {
          source,
          answer: answer.whole(plan),
          rewrites,
          stays: paths.filter((path) => path !== FOLDERS_FILE && !plan.moved.has(path)),
          async isCurrent() {
            await moveTarget(vault, source, to)
            for (const [path, stamp] of [...stamps, [source.path, source.stamp] as const]) {
              const isWhole = source.kind === 'folder' && path === source.path
              const now = await stampNow(vault, path)
              if (!now || (isWhole ? now.ino !== stamp.ino : !sameStamp(now, stamp))) return false
            }
            return plan.isCurrent()
          },
          discard: stage.discard,
        }
      } catch (error) {
        await stage.discard()
        throw error
      }
    },
  }
}

async function endsOf({ vault, from, to }: Wish): Promise<{ source: MoveSource; to: string }> {
  const source = await moveSource(vault, from)
  return { source, to: await moveTarget(vault, source, to) }
}

async function stampNow({ files }: Vault, path: string): Promise<FileStamp | undefined> {
  const stat = await withFileFailures(() => at(files, path, (full) => statOf(files, full))).catch(noFolder)
  return stat ? stampOf(stat) : undefined
}

/** Collects the response to a move: the notes by their paths after it. */
function answerOf({ path: from, kind }: MoveSource, to: string) {
  const notes: MovedNote[] = []
  let [notesTotal, linksTotal] = [0, 0]
  return {
    add({ path, baseline, changes }: PlannedRewrite): void {
      if (path === FOLDERS_FILE) return
      notesTotal++
      linksTotal += changes.length
      if (notes.length === MAX_NOTES) return
      const short = (text: string) => text.slice(0, MAX_LINK).toWellFormed()
      const told = changes.slice(0, MAX_CHANGES)
      const shown = told.map(({ line, before, after }) => ({ line, before: short(before), after: short(after) }))
      notes.push({ path, baseline, links: changes.length, changes: shown })
    },
    whole({ moved }: Pick<PlannedMove, 'moved'>): Moved {
      const now = notes.map((note) => ({ ...note, path: moved.get(note.path) ?? note.path }))
      const sorted = now.toSorted((a, b) => (a.path < b.path ? -1 : 1))
      return { from, to, kind, dryRun: true, files: moved.size, notesTotal, linksTotal, notes: sorted }
    },
  }
}
