import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { errorCatalogue } from '@svc/shared/wire/errors.ts'
import { verifies } from '../requirements.ts'

const text = readFileSync(new URL('../../docs/ERRORS.md', import.meta.url), 'utf8')
const rows = [...text.matchAll(/^\| `(\w+)` *\| (\d+) *\| (\w+) *\| (.+?) *\|$/gm)].map(
  ([, code, status, retry, message]) => [code, { status: Number(status), retry, message }],
)

test('docs/ERRORS.md and the catalogue hold the same codes, statuses, retries and messages', () => {
  verifies('error.catalogue')
  expect(Object.fromEntries(rows)).toEqual(errorCatalogue)
})
