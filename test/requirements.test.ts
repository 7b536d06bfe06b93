import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { requirements } from './requirements.ts'
import { uncited } from './requirements-uncited.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const sources = globSync('{shared,daemon,control-plane,operator,embedded,test}/**/*.test.{ts,tsx}', {
  cwd: root,
  exclude: (path) => path.includes('node_modules'),
})

const cited = new Set(
  sources.flatMap((path) =>
    [...readFileSync(root + path, 'utf8').matchAll(/verifies\(([^)]*)\)/g)].flatMap(([, list = '']) =>
      [...list.matchAll(/'([^']+)'/g)].map(([, id = '']) => id),
    ),
  ),
)

test('every cited id is a requirement', () => {
  expect([...cited].filter((id) => !(id in requirements))).toEqual([])
})

test('every uncited requirement is on the shrinking list, and nothing else is', () => {
  const missing = Object.keys(requirements).filter((id) => !cited.has(id))
  expect(missing.toSorted()).toEqual([...uncited].toSorted())
})
