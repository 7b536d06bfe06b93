import type { Log } from '@svc/shared/kit/log.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { Moved } from '@svc/shared/wire/daemon/daemon-moves.api.ts'
import type { Actor } from '../entry/actor.ts'
import { placedAt } from '../audit/evidence.ts'
import { carryOutMove, releaseMove, undoMove } from '../journal/carry-out-move.ts'
import { moveIntent, type MoveIntent, type Rewrite } from '../journal/move-intent.ts'
import { recoverChanges } from '../journal/recover-changes.ts'
import { readWhole } from '../files/open-file.ts'
import { TMP } from '../files/stage-file.ts'
import type { VaultPath } from '../files/vault-path.ts'
import { changeVault } from '../vaults/change-vault.ts'
import { refuseUnsaved, type FailedSaves } from '../vaults/live-notes.ts'
import { missingFolders } from '../vaults/missing-folders.ts'
import type { Originals, Vault } from '../vaults/vault.ts'
import type { Links } from './move-plan.ts'
import { readSource } from './moved-files.ts'
import type { PreparedMove, PrepareMove } from './prepare-move.ts'

type Wish = { vault: Vault; from: VaultPath; to: string; links: Links; by: Actor }

/** Moves a note, an attachment or a folder, and rewrites the links that would no longer lead to the same file. */
export type MoveInVault = {
  /** What a move would do. */
  plan(wish: Wish): Promise<Moved>
  /** Moves all or nothing, even across a kill or a power loss. */
  move(wish: Wish): Promise<Moved>
}

// Somebody outside may write a note between planning and moving; then the next attempt plans again.
const MAX_ATTEMPTS = 5

type Deps = { prepare: PrepareMove; maxNoteBytes: number; log: Log }

export function createMoveInVault({ prepare, maxNoteBytes, log }: Deps): MoveInVault {
  /** The old contents of rewritten notes, which are held until the move is released. */
  const originalsOf = ({ layout: { root } }: Vault, rewrites: readonly Rewrite[]): Originals => {
    const read = async (name: string) =>
      (await readWhole(root, [...TMP, name].join('/'), maxNoteBytes).catch(() => undefined))?.bytes
    return new Map(rewrites.map(({ path, held }) => [path, () => read(held)]))
  }

  async function attempt(wish: Wish, prepared: PreparedMove, failed: FailedSaves): Promise<Moved | undefined> {
    const { source, answer, rewrites } = prepared
    try {
      refuseUnsaved(failed, [source.path, answer.to, ...rewrites.map(({ path }) => path)])
      await recoverChanges(wish.vault.files)
      return (await prepared.isCurrent()) ? await commit(wish, prepared) : undefined
    } finally {
      await prepared.discard()
    }
  }

  async function commit({ vault, by }: Wish, prepared: PreparedMove): Promise<Moved | undefined> {
    const { source, answer, rewrites, stays } = prepared
    const { to } = answer
    const root = vault.files
    const carry = {
      root,
      intent: { format: 1, from: source.path, to, moved: source.stamp.ino, rewrites } as MoveIntent,
    }
    const own = rewrites.find(({ path }) => path === source.path)
    const isFolder = source.kind === 'folder'
    const evidence = isFolder ? { at: to, is: 'folder' as const } : placedAt(to, own?.after ?? source.stamp)
    const mutation = { by, tool: `move_${source.kind}`, path: source.path, to }

    return changeVault({ vault, mutation, evidence }, async () => {
      const above = await missingFolders(root, [to])
      const moving = isFolder ? await vault.below(source.path) : { folders: [], files: [source.path] }
      await moveIntent.write(root, carry.intent)
      const isMade = await carryOutMove(carry).catch(async (error: unknown) => {
        await undo(carry)
        throw error
      })
      if (!isMade) {
        await undo(carry)
        return undefined
      }
      const originals = originalsOf(vault, rewrites)
      try {
        await vault.moved({ from: source.path, to, ...moving, above, rewritten: stays, originals, by })
      } finally {
        // The move is made. An intent that cannot be removed now is removed at the next start.
        await releaseMove(carry).catch((error: unknown) =>
          log.warn({ err: error }, 'the intent file of a move could not be removed; the next start removes it'),
        )
      }
      return { result: { ...answer, dryRun: false } }
    })
  }

  async function undo(carry: Parameters<typeof undoMove>[0]): Promise<void> {
    try {
      await undoMove(carry)
      await releaseMove(carry)
    } catch (error) {
      log.error({ err: error }, 'a move could not be undone; the next move or start tries again')
    }
  }

  return {
    async plan(wish) {
      await readSource(wish.vault, wish.from, wish.vault.recheck)
      const prepared = await prepare.plan(wish)
      return prepared.answer
    },
    async move(wish) {
      const { vault, from } = wish
      await readSource(vault, from, vault.recheck)
      // Plan and write the drafts outside the queue, so that other writes can continue meanwhile.
      let prepared: PreparedMove | undefined = await prepare.stage(wish)
      return vault.queue.runAlone(async () => {
        for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
          // Save live text first: it is moved too, and the plan is compared with files that contain it.
          const failed = await vault.live.saveAll()
          if (!prepared) await readSource(vault, from, vault.recheckInQueue)
          const moved = await attempt(wish, prepared ?? (await prepare.stage(wish)), failed)
          if (moved) return moved
          prepared = undefined
        }
        throw fail('stale_doc', { reason: 'Notes with links to it change all the time.' })
      })
    },
  }
}
