import { costOfNote } from '../markdown/note-cost.ts'
import { linkFactsOf } from '../markdown/link-facts.ts'
import { readNoteFacts } from '../markdown/note-facts.ts'
import { decodeNote } from '../notes/decode-note.ts'
import { listVaultSync, VaultReader } from '../files/read-vault-sync.ts'
import { isMarkdownName } from '../files/vault-path.ts'
import { LinksFileWriter } from './links-file.ts'
import { packRecord } from './note-record.ts'

/** A vault whose links are to be read, and the file to write them to. */
export type LinksRequest = { root: string; target: string; maxNoteBytes: number }

// A note that costs more needs a deadline, which only the daemon can enforce: it reads those few itself.
const MAX_COST = 4 * 1024 * 1024

/** Reads the links of all notes of a vault. A note that changes meanwhile has another baseline afterwards. */
export function writeLinksOfVault({ root, target, maxNoteBytes }: LinksRequest): void {
  const writer = new LinksFileWriter()
  const reader = new VaultReader({ root, maxBytes: maxNoteBytes })
  for (const path of listVaultSync(root)) {
    const bytes = isMarkdownName(path) ? reader.read(path, 'bytes')?.bytes : undefined
    const text = bytes && decodeNote(bytes)
    if (text === undefined || costOfNote(text) > MAX_COST) continue
    const { tags, properties, baseline } = readNoteFacts(path, bytes!, text)
    const record = packRecord({ ...linkFactsOf({ text }), tags, properties: Object.keys(properties) })
    writer.add({ path, baseline, record })
  }
  reader.close()
  writer.write(target)
}
