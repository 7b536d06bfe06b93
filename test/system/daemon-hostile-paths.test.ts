import { expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { nameHostilePaths, writeThroughOwnFolders } from '../support/hostile-path-runs.ts'

test('no hostile path is accepted, answered as a bug or leads out of the vault', async () => {
  verifies('notes.hostile-paths', 'notes.safe-paths')
  const { paths, asked } = await nameHostilePaths({ share: 37 })
  expect(paths).toBeGreaterThan(200)
  expect(asked).toBeGreaterThan(paths)
})

test('the folders of the daemon in a vault lead nowhere else', async () => {
  verifies('notes.hostile-paths')
  await writeThroughOwnFolders()
})
