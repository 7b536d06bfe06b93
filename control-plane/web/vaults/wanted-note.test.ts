import { expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { readNext } from '../app/paths.ts'
import { readWantedNote, wantedNotePath } from './wanted-note.ts'

const read = (address: string) => readWantedNote(new URL(address, 'https://app.example'))

test('an address names organization, vault, path and heading', () => {
  const wanted = { organization: 'org_a', vault: 'notes', path: 'A b/c.md', heading: 'Next steps' }
  expect(read('/enter?organization=org_a&vault=notes&path=A+b%2Fc.md#Next%20steps')).toEqual(wanted)
  const path = wantedNotePath(wanted)
  expect(read(path)).toEqual(wanted)
  expect(readNext(`?next=${encodeURIComponent(path)}`)).toBe(path)
})

test.each(['//evil.example', 'https://evil.example', '/\\evil', '../..', 'a//b', '\\\\evil', 'a\tb', '/x'])(
  'a path %j is dropped',
  (path) => {
    verifies('entry.no-open-redirect')
    const found = read(`/enter?organization=org_a&vault=notes&path=${encodeURIComponent(path)}`)
    expect(found).toEqual({ organization: 'org_a', vault: 'notes', path: undefined, heading: undefined })
  },
)

test('an address that says nothing asks for nothing', () => {
  expect(read('/enter#%zz')).toEqual({ organization: '', vault: undefined, path: undefined, heading: undefined })
})
