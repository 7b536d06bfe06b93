import type { Clock } from '@svc/shared/kit/clock.ts'
import { placedAt } from '../audit/evidence.ts'
import { actorId, type Actor } from '../entry/actor.ts'
import { withFileFailures } from '../files/fs-failure.ts'
import { inFolder, openOrMakeFolder, ownerAt } from '../files/open-folder.ts'
import { stageFile } from '../files/stage-file.ts'
import { newEntryId, TRASH, trashFiles, writeEntry } from '../trash/trash-entry.ts'
import { changeVault } from '../vaults/change-vault.ts'
import type { Vault } from '../vaults/vault.ts'

type Rescue = { vault: Vault; path: string; text: string; by: Actor; clock: Clock }

/** Puts the unsaved text of a deleted note into the trash. It can be restored like any other entry. */
export async function rescueText({ vault, path, text, by, clock }: Rescue): Promise<void> {
  const id = newEntryId(clock)
  const root = vault.files
  const entry = {
    path,
    kind: 'note' as const,
    deletedAt: clock.now().toISOString(),
    deletedBy: actorId(by),
    rescued: true as const,
  }
  const staged = await stageFile(root, Buffer.from(text, 'utf8'))
  try {
    // The folder of the note may be on a disk that is away.
    await staged.give(await ownerAt(root, path).catch(() => ({})))
    const evidence = placedAt([...TRASH, id, trashFiles.content].join('/'), staged.stamp)
    await changeVault({ vault, mutation: { by, tool: 'rescue_live_text', path }, evidence }, () =>
      inFolder(openOrMakeFolder(root, [...TRASH, id]), async (folder) => {
        await writeEntry(root, folder, entry)
        await staged.durable
        await withFileFailures(() => root.disk.rename(staged.path, folder.at(trashFiles.content)))
        await folder.sync()
        return { result: true }
      }),
    )
  } finally {
    await staged.discard()
  }
}
