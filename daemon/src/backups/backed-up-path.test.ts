import { expect, test } from 'vitest'
import { isBackedUp, isRestorable } from './backed-up-path.ts'

test.each([
  'vaults',
  'vaults/a/note.md',
  'vaults/a/.svc/trash/x',
  'vaults/a/.obsidian/app.json',
  'daemon/audit/a.jsonl',
  'daemon/history/a.git/objects/pack/x.pack',
  'daemon/live/a/log',
  'daemon/preferences.json',
])('%s is backed up', (path) => expect(isBackedUp(path)).toBe(true))

test.each([
  'svcd.log',
  'svcd.1.log',
  'vaults/.probe-1234',
  'vaults/a/.svc/tmp',
  'daemon/lock',
  'daemon/lock.abc',
  'daemon/status.json',
  'daemon/relay-key',
  'daemon/relay-identity.pem',
  'daemon/index',
  'daemon/tmp',
  'daemon/backups',
  'daemon/restoring',
  'daemon/replaced',
  'daemon/restore.json',
  'daemon/restored.json',
  'daemon/.vaults.json.ab12',
  'daemon/history/a.git/refs/heads/main.lock',
  'daemon/history/a.git/objects/pack/tmp_pack_x',
])('%s is not', (path) => expect(isBackedUp(path)).toBe(false))

test.each([
  'vaults',
  '/etc/passwd',
  '../x',
  'vaults/../daemon/lock',
  'vaults//a',
  'vaults/a/./b',
  'vaults/a\0b',
  'vaults/a\\..\\b',
  'vaults/a/\\b',
  'vaults/\ud800',
  `vaults/${'a'.repeat(5000)}`,
  'daemon/lock',
  'vaults/a/.svc/tmp/x',
  'elsewhere/x',
])('%j cannot be restored', (path) => expect(isRestorable(path)).toBe(false))

test.each(['vaults/a/Über uns – café.md', 'vaults/a/b\\c.md', 'vaults/a\\b/c.md'])('%j is restored', (path) =>
  expect(isRestorable(path)).toBe(true),
)
