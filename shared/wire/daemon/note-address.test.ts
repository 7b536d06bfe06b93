import { expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { noteAddress, readLinkedHeading, readLinkedPath } from './note-address.ts'

test.each(['Home.md', 'Plans/2026 Q1.md', 'café/Ü.md', 'a?b#c.md', 'https:x.md', '...md', 'a%2F..%2Fb.md'])(
  'takes %j as a path of a vault, and its address stays on the origin',
  (path) => {
    verifies('entry.no-open-redirect')
    expect(readLinkedPath(path)).toBe(path)
    const url = new URL(noteAddress('notes', { path }), 'https://vault.example')
    expect(url.origin).toBe('https://vault.example')
    expect(decodeURIComponent(url.pathname)).toBe(`/v/notes/${path}`)
  },
)

test.each([
  '',
  '/',
  '/Home.md',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  'https://evil.example',
  'javascript://evil.example',
  '..',
  '../..',
  'a/../../b',
  './a',
  'a//b',
  'a/',
  'a\nb',
  'a\tb',
  'a\0b',
  '\ud800',
  'x'.repeat(1025),
])('refuses %j as a path', (path) => {
  verifies('entry.no-open-redirect')
  expect(readLinkedPath(path)).toBeUndefined()
})

test.each(['//evil.example', '/evil', '..', '.', 'a b', '\\', 'https://evil.example', '?x', '#'])(
  'the address of a vault that is called %j stays on the origin',
  (vault) => {
    verifies('entry.no-open-redirect')
    const url = new URL(noteAddress(vault, { heading: '//evil' }), 'https://vault.example')
    expect(url.origin).toBe('https://vault.example')
  },
)

test('a heading is any text of sensible length', () => {
  expect(readLinkedHeading('Next steps / 2')).toBe('Next steps / 2')
  expect(noteAddress('n', { path: 'A b.md', heading: 'Next steps' })).toBe('/v/n/A%20b.md#Next%20steps')
  expect([readLinkedHeading(''), readLinkedHeading('x'.repeat(1025))]).toEqual([undefined, undefined])
})
