import { revertChanges as definition } from '@svc/shared/wire/mcp/revert-tool.ts'
import type { Actor } from '../../entry/actor.ts'
import { authorOf, sameAuthor } from '../../entry/author.ts'
import { parseVaultPath } from '../../files/vault-path.ts'
import { PLAN_BYTES, type TextRoom } from '../../http/text-room.ts'
import type { PlannedNote } from '../../reverts/planned-note.ts'
import type { PrepareRevert, RevertPlan } from '../../reverts/prepare-revert.ts'
import type { RevertChanges } from '../../reverts/revert-changes.ts'
import type { VaultRegistry } from '../../vaults/vault-registry.ts'
import { makeTool } from '../tool.ts'

type Deps = { registry: VaultRegistry; prepareRevert: PrepareRevert; revertChanges: RevertChanges; textRoom: TextRoom }

const MAX_DIFF_CHARS = 40_000
const MAX_LISTED = 500

/** Reverts the changes of the calling agent: those under its name that it made for the same person. */
export const revertChangesTool = ({ registry, prepareRevert, revertChanges, textRoom }: Deps) =>
  makeTool(definition, async ({ vaultId, since, path, review }, { by }) => {
    const wish = {
      vault: registry.find(vaultId),
      since,
      until: undefined,
      path: path === undefined ? undefined : parseVaultPath(path),
      isMine: isBy(by),
    }
    const done = review !== undefined
    return textRoom.during(by, async (reserve) => {
      await reserve(PLAN_BYTES)
      const plan = done ? await revertChanges({ ...wish, by, review }) : await prepareRevert(wish)
      return planView(plan, { done })
    })
  })

function planView(plan: RevertPlan, { done }: { done: boolean }) {
  const { notes, truncated } = shown(plan.notes, { done })
  const conflicts = plan.notes.flatMap((note) => note.conflicts.map(({ line }) => ({ path: note.path, line })))
  return {
    done,
    review: plan.review,
    notes,
    conflicts: conflicts.slice(0, MAX_LISTED),
    left: plan.left.slice(0, MAX_LISTED),
    truncated: truncated || conflicts.length > MAX_LISTED || plan.left.length > MAX_LISTED,
  }
}

function isBy(actor: Actor) {
  const me = authorOf(actor)
  return (author: Parameters<typeof sameAuthor>[0]) => sameAuthor(me, author)
}

/** The notes of a result: with differences only in a dry run, and no more text than an agent can read. */
function shown(all: readonly PlannedNote[], { done }: { done: boolean }) {
  let room = MAX_DIFF_CHARS
  const notes = all.slice(0, MAX_LISTED).map(({ path, action, to, after, diff }) => {
    const fits = !done && diff !== '' && diff.length <= room
    if (fits) room -= diff.length
    return {
      path,
      action,
      ...(to !== undefined && { to }),
      ...(after !== undefined && { baseline: after }),
      ...(fits && { diff }),
    }
  })
  const isCut =
    all.length > MAX_LISTED || (!done && all.some(({ diff }, index) => diff !== '' && notes[index]?.diff === undefined))
  return { notes, truncated: isCut }
}
