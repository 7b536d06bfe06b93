import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { verifies } from '../../../../test/requirements.ts'
import { nothingMounted } from '../../files/mounted-folders.ts'
import { Manifest } from '../../watch/manifest.ts'
import { createDoubtfulChanges } from '../doubtful-changes.ts'
import type { VaultChange } from '../vault-change.ts'
import { createRecheckFile, type RecheckFile } from './recheck-file.ts'

let root: string
let manifest: Manifest
let published: string[]
let rechecks: RecheckFile
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-recheck-'))
  manifest = new Manifest()
  published = []
  const publish = (change: VaultChange) => {
    published.push(`${change.kind} ${change.path}`)
    if (change.kind === 'deleted') manifest.removeFile(change.path)
    else if ('stamp' in change && 'content' in change)
      manifest.putFile({ path: change.path, stamp: change.stamp, facts: change.content.facts })
  }
  rechecks = createRecheckFile({
    id: 'v',
    root,
    view: { manifest, publish },
    mounted: nothingMounted,
    isReplaced: async () => false,
    emptied: { isBeingWritten: () => false },
    doubtful: createDoubtfulChanges(),
    describeFile: async () => ({ facts: { kind: 'attachment' } }),
    maxNoteBytes: 1000,
    log: pino({ level: 'silent' }),
  })
})
afterEach(() => rmSync(root, { recursive: true }))

const at = (path: string) => join(root, path)

test('a file that a listing did not show is gone if it is stored elsewhere, though a lookup finds it', async () => {
  verifies('watch.stored-names')
  writeFileSync(at('Note.md'), 'text')
  await rechecks.recheckInQueue('Note.md')
  const stored = (isStored: boolean) => ({ has: async () => isStored })
  await rechecks.recheckInQueue('Note.md', stored(true))
  expect(published).toEqual(['created Note.md'])
  await rechecks.recheckInQueue('Note.md', stored(false))
  expect(published).toEqual(['created Note.md', 'deleted Note.md'])
})

test('what is stored nowhere is not looked up: a lookup may lead to where the daemon may not go', async () => {
  symlinkSync('loop', at('loop'))
  await rechecks.recheckInQueue('loop/Note.md', { has: async () => false })
  expect(published).toEqual([])
})

test('a file behind a link is not in the vault', async () => {
  verifies('watch.stored-names')
  mkdirSync(at('a'))
  for (const name of ['picture.png', 'note.md']) writeFileSync(at(`a/${name}`), 'content')
  await rechecks.recheckInQueue('a/picture.png')
  renameSync(at('a'), at('b'))
  symlinkSync(at('b'), at('a'))
  writeFileSync(at('b/picture.png'), 'longer content')
  for (const name of ['picture.png', 'note.md']) await rechecks.recheckInQueue(`a/${name}`)
  expect(published).toEqual(['created a/picture.png', 'deleted a/picture.png'])
})
