import { canBeRead, UNREADABLE } from '../api/can-be-read.ts'
import { asRefusal } from '../api/refusal.ts'
import { counted } from '../app/counted.ts'
import { reasonOf } from '../app/failure-text.ts'
import type { DaemonClient } from '../api/daemon-client.ts'
import { isNoteName } from '../links/link-index.ts'
import type { OpenVault } from '../vaults/vault-context.ts'

type Deps = { client: DaemonClient } & Pick<OpenVault, 'vault' | 'refreshTree' | 'announce'>

/** Stores files of this device in a folder of the vault, one after another. Existing files are never replaced. */
export async function upload(
  { client, vault, refreshTree, announce }: Deps,
  { folder, files }: { folder: string; files: readonly File[] },
): Promise<void> {
  const refused: string[] = []
  for (const [nth, file] of files.entries()) {
    announce(`Uploading ${file.name} (${nth + 1} of ${files.length})…`)
    if (!(await canBeRead(file))) {
      refused.push(`${file.name}: ${UNREADABLE}`)
      continue
    }
    const ref = { vaultId: vault.id, path: folder === '' ? file.name : `${folder}/${file.name}` }
    try {
      if (isNoteName(file.name)) await client.createNote(ref, file)
      else await client.createAttachment(ref, file)
    } catch (thrown) {
      refused.push(`${file.name}: ${reasonOf(asRefusal(thrown))}`)
    }
  }
  refreshTree()
  const done = `Uploaded ${counted(files.length - refused.length, 'file')}`
  announce(refused.length === 0 ? done : `${done}. Not uploaded: ${refused.join('; ')}`)
}
