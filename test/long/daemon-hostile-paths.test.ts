import { expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { nameHostilePaths } from '../support/hostile-path-runs.ts'

test('every hostile path on every route, tool and command', async () => {
  verifies('notes.hostile-paths')
  const { paths, asked } = await nameHostilePaths({ share: 1 })
  console.log(`${paths} paths, named ${asked} times`)
  expect(asked).toBeGreaterThan(paths * 40)
}, 1_800_000)
