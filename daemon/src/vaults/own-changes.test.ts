import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { looksOnEventLoop } from '../../../test/support/looks-on-event-loop.ts'
import { openTestVault } from '../../../test/support/open-test-vault.ts'
import { removeFolder } from '../../../test/support/remove-folder.ts'
import { verifies } from '../../../test/requirements.ts'

test('a restored folder of a network disk is not read on the event loop', async () => {
  verifies('watch.remote-disk')
  const home = await mkdtemp(join(tmpdir(), 'svc-restored-'))
  onTestFinished(() => removeFolder(home))
  const vault = await openTestVault({ home, watch: 'poll' })
  const { root } = vault.layout

  await mkdir(join(root, 'back/deep'), { recursive: true })
  await writeFile(join(root, 'back/deep/a.md'), 'a')
  const looks = looksOnEventLoop(root)
  onTestFinished(looks.stop)
  await vault.restoredFolder({ path: 'back', by: { kind: 'local' } })
  expect([vault.manifest.hasFile('back/deep/a.md'), looks.paths]).toEqual([true, []])
})
