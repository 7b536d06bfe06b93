import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, type watch } from 'node:fs'
import { EventEmitter } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { createFolderWatches, type FolderWatches } from './folder-watches.ts'

let root: string
let watches: FolderWatches
/** What the system would call for each watched path. */
let tell: Map<string, (event: string, name: string | null) => void>
let open: Set<unknown>
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-watches-'))
  tell = new Map()
  open = new Set()
  const begin = (path: string, _options: unknown, listener: (event: string, name: string | null) => void) => {
    const watcher = Object.assign(new EventEmitter(), { close: () => open.delete(watcher) })
    open.add(watcher)
    tell.set(path, listener)
    return watcher
  }
  watches = createFolderWatches({
    root,
    onHint() {},
    onTrouble(error) {
      throw error
    },
    begin: begin as unknown as typeof watch,
  })
  mkdirSync(join(root, 'a'))
  mkdirSync(join(root, 'b'))
})
afterEach(() => rmSync(root, { recursive: true }))

const at = (path: string) => join(root, path)

test('a folder is replaced when another one is at its place, and not while it is away', () => {
  verifies('watch.replaced-folders')
  expect([watches.isReplaced('a'), watches.add('a'), watches.isReplaced('a')]).toEqual([false, true, false])
  renameSync(at('a'), at('aside'))
  expect(watches.isReplaced('a')).toBe(false)
  symlinkSync(at('b'), at('a'))
  expect(watches.isReplaced('a')).toBe(false)
  rmSync(at('a'))
  renameSync(at('b'), at('a'))
  expect(watches.isReplaced('a')).toBe(true)
  watches.remove('a')
  expect([watches.add('a'), watches.isReplaced('a'), open.size]).toEqual([true, false, 1])
})

test('a folder may be replaced after it was moved or removed, and is not after other events', () => {
  verifies('watch.replaced-folders')
  watches.add('a')
  tell.get(at('a'))!('rename', 'note.md')
  tell.get(at('a'))!('change', 'a')
  expect(watches.isReplaced('a')).toBe(false)
  tell.get(at('a'))!('rename', 'a')
  expect(watches.isReplaced('a')).toBe(true)
})

test('a link is not watched, and nothing is once all watches are closed', () => {
  symlinkSync(at('b'), at('link'))
  expect([watches.add('link'), watches.add('missing'), open.size]).toEqual([false, false, 0])
  watches.add('a')
  watches.close()
  rmSync(at('a'), { recursive: true })
  renameSync(at('b'), at('a'))
  expect([watches.isReplaced('a'), watches.add('a'), open.size]).toEqual([false, true, 0])
})
