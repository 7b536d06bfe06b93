import { mkdtemp, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tryEdit, type EditFate } from './edit-corpus.ts'
import { seededRandom } from './hostile-text.ts'
import { copyVault } from './vault.ts'
import { removeFolder } from './remove-folder.ts'

/** The outcomes of a corpus of edits; `wrong` lists those that were applied to another place than meant. */
export type CorpusResult = { edits: number; applied: number; rejected: number; repairable: number; wrong: EditFate[] }

/** Makes many edits with the noise of models on the notes of the vault that tests use. */
export async function runEditCorpus({ edits, seed }: { edits: number; seed: number }): Promise<CorpusResult> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-edits-'))
  try {
    await copyVault(folder)
    const notes = await notesIn(folder)
    const random = seededRandom(seed)
    const result: CorpusResult = { edits: 0, applied: 0, rejected: 0, repairable: 0, wrong: [] }
    while (result.edits < edits) {
      const fate = tryEdit(random.pick(notes), random)
      if (!fate) continue
      result.edits++
      if (fate.kind === 'wrong') result.wrong.push(fate)
      if (fate.kind === 'applied') result.applied++
      if (fate.kind === 'rejected') {
        result.rejected++
        if (fate.repairable) result.repairable++
      }
    }
    return result
  } finally {
    await removeFolder(folder)
  }
}

export async function notesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const texts = await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8')))
  return texts.filter((text) => text.length > 40 && !text.includes('\ufffd'))
}
