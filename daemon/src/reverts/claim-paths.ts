import { isFailure } from '@svc/shared/wire/errors.ts'
import { parseNewPath } from '../files/vault-path.ts'
import { refuseTwin } from '../vaults/new-names.ts'
import type { Vault } from '../vaults/vault.ts'
import { pathAfter } from './planned-note.ts'
import { settlePlaces, type Claim } from './settle-places.ts'

/** A note of a plan, as far as its paths go. */
type Planned = { path: string; action: 'edit' | 'trash' | 'bring_back' | 'move_back'; to?: string | undefined }

type Unmet<Note> = { note: Note; now: Claim['now'] }

/** The planned notes that can all get the paths they need, and those that cannot. Edits need none. */
export async function claimPaths<Note extends Planned>(
  vault: Vault,
  notes: readonly Note[],
): Promise<{ met: Note[]; unmet: Unmet<Note>[] }> {
  const claims: (Claim & { note: Note })[] = []
  for (const note of notes) {
    const to = note.action === 'bring_back' ? pathAfter(note) : note.to
    if (to === undefined) continue
    const from = note.action === 'bring_back' ? undefined : note.path
    claims.push({ note, from, to, now: await placeNow(vault, to, from) })
  }
  const freed = new Set(notes.filter(({ action }) => action === 'trash').map(({ path }) => path))
  const { unmet } = settlePlaces(claims, freed)
  const refused = new Set(unmet.map(({ note }) => note))
  return {
    met: notes.filter((note) => !refused.has(note)),
    unmet: unmet.map(({ note, now }) => ({ note, now })),
  }
}

/** What is at a path that something else is to get. */
export async function placeNow(
  { manifest, files }: Vault,
  to: string,
  from: string | undefined,
): Promise<Claim['now']> {
  if (manifest.file(to)) return 'taken'
  if (manifest.hasFolder(to)) return 'unusable'
  const segments = to.split('/')
  if (segments.some((_, depth) => depth > 0 && manifest.hasFile(segments.slice(0, depth).join('/')))) return 'unusable'
  try {
    // Checked as a new name, but it gets back its own form.
    parseNewPath(to)
    await refuseTwin(files, to, from === undefined ? {} : { except: from })
    return 'free'
  } catch (error) {
    if (isFailure(error, 'path_conflict')) return 'taken'
    if (isFailure(error, 'invalid_request')) return 'unusable'
    throw error
  }
}
