import assert from 'node:assert/strict'
import { parseNewPath, parseVaultPath } from '../../daemon/src/files/vault-path.ts'
import type { FuzzTarget } from '../support/fuzz.ts'

/** Paths of notes and attachments as a request names them: what is accepted stays inside the vault. */
export const target: FuzzTarget = {
  name: 'vault-path',
  input: 'text',
  seeds: ['README.md', 'notes/Été/plan 2.md', 'a/b/c/d.png', '漢字/ノート.md'],
  words: ['..', '/', '//', './', '.svc', '.git', '%2e', '%2F', '\\', 'con.', 'aux', ':', ' .', '\u202e'],
  call(text) {
    const path = parseVaultPath(text)
    assert.ok(path.split('/').every((segment) => segment !== '' && !segment.startsWith('.')))
    assert.ok(path.isWellFormed() && !/[\0\\]/.test(path))
    const made = parseNewPath(text)
    assert.equal(made.normalize('NFC'), made)
  },
}
