import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { runInPublicWeb } from '../support/public-web.ts'

const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))

test('a program with a metadata document on a public address goes the whole way, without registration', async () => {
  verifies('agents.metadata-document')
  const args = ['run', '--project', 'browser', '--reporter', 'tap-flat', 'test/browser/agents.test.ts']
  const { code, output } = await runInPublicWeb([vitest, ...args])
  const results = output.match(/^(?:not )?ok .*/gm) ?? []
  expect([code, results.filter((line) => !line.startsWith('ok '))], output).toEqual([0, []])
  expect(results.length, output).toBeGreaterThan(4)
}, 1_200_000)
