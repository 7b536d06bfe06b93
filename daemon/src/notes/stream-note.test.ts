import { mkdtemp, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { removeFolder } from '../../../test/support/remove-folder.ts'
import { verifies } from '../../../test/requirements.ts'
import { stampOf } from '../files/file-stamp.ts'
import { parseVaultPath } from '../files/vault-path.ts'
import { createRunNoteJob } from '../note-jobs/run-note-job.ts'
import type { Vault } from '../vaults/vault.ts'
import { Manifest } from '../watch/manifest.ts'
import { createDescribeFile } from './describe-file.ts'
import { openNoteStream } from './stream-note.ts'

const path = parseVaultPath('large.md')
const contentOf = (word: string) => `${word} \n`.repeat(100_000)
const describeFile = createDescribeFile({
  runNoteJob: createRunNoteJob({ run: () => expect.fail('a note that is small'), close: async () => {} }),
})

/** A vault with a large note. `meanwhile` is what happens while it is opened. */
async function vaultWithNote(meanwhile: (write: (content: string) => Promise<void>) => Promise<void>) {
  const root = await mkdtemp(join(tmpdir(), 'svc-stream-note-'))
  onTestFinished(() => removeFolder(root))
  const manifest = new Manifest()
  const write = async (content: string) => {
    await writeFile(join(root, path), content)
    // Enough to tell one text from the other, and too little for a job of its own.
    const { facts } = await describeFile(path, Buffer.from(content.slice(0, 1000)))
    manifest.putFile({ path, stamp: stampOf(await stat(join(root, path))), facts })
  }
  await write(contentOf('old'))
  const mounted = { refuseAway: () => meanwhile(write) }
  return { manifest, layout: { root }, live: { unsavedNotes: () => [] }, files: { mounted } } as unknown as Vault
}

test('a large note is streamed with its baseline', async () => {
  const vault = await vaultWithNote(async () => {})
  const opened = await openNoteStream(vault, path)
  expect(opened!.size).toBe(contentOf('old').length)
  expect((await text(opened!.stream)) === contentOf('old')).toBe(true)
})

test('a large note that is replaced while it is opened is not streamed with the baseline it had', async () => {
  verifies('notes.right-baseline')
  const vault = await vaultWithNote((write) => write(contentOf('new')))
  const opened = await openNoteStream(vault, path)
  opened?.stream.destroy()
  expect(opened).toBeUndefined()
})
