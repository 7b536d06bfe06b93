import { expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { wayIn } from './way-in.ts'

const app = 'https://app.example'

test.each([
  ['/', '/enter?organization=org_a'],
  ['/v/notes', '/enter?organization=org_a&vault=notes'],
  ['/v/notes/A%20b/c.md?view=history', '/enter?organization=org_a&vault=notes&path=A+b%2Fc.md'],
  ['/v/notes/a&vault=other.md', '/enter?organization=org_a&vault=notes&path=a%26vault%3Dother.md'],
  ['/v//evil.example', '/enter?organization=org_a'],
  ['/v/notes//evil.example', '/enter?organization=org_a&vault=notes'],
  ['/v/notes/%2F%2Fevil.example', '/enter?organization=org_a&vault=notes'],
  ['/v/notes/%5C%5Cevil.example', '/enter?organization=org_a&vault=notes'],
  ['/v/notes/../../x', '/enter?organization=org_a&vault=notes'],
  ['/v/notes/%zz', '/enter?organization=org_a&vault=notes'],
  ['//evil.example/v/x', '/enter?organization=org_a'],
])('%s leads to %s of the app', (target, address) => {
  verifies('entry.no-open-redirect')
  const way = wayIn({ baseUrl: app, orgId: 'org_a', target })
  expect(way).toBe(`${app}${address}`)
  expect(new URL(way).origin).toBe(app)
})
