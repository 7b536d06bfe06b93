import { describe, expect, test } from 'vitest'
import { verifies } from '../../test/requirements.ts'
import { formatImageReference, isInRepository, isSameImage, parseImageReference } from './image-reference.ts'

const digest = `sha256:${'a'.repeat(64)}`
const other = `sha256:${'b'.repeat(64)}`

describe('parses', () => {
  test.each([
    ['registry.example.net/svcd:1.2.3', { host: 'registry.example.net', repository: 'svcd', tag: '1.2.3' }],
    ['registry.example.net:5000/a/b:v1', { host: 'registry.example.net:5000', repository: 'a/b', tag: 'v1' }],
    [`localhost/svcd@${digest}`, { host: 'localhost', repository: 'svcd', digest }],
    [`localhost:5000/svcd:1@${digest}`, { host: 'localhost:5000', repository: 'svcd', tag: '1', digest }],
    [`[::1]:5000/svcd@${digest}`, { host: '[::1]:5000', repository: 'svcd', digest }],
    [`local/svcd@${digest}`, { host: 'local', repository: 'svcd', digest }],
    ['REGISTRY.example.net/svcd:1', { host: 'registry.example.net', repository: 'svcd', tag: '1' }],
    ['r.example/a__b/c-d.e:1', { host: 'r.example', repository: 'a__b/c-d.e', tag: '1' }],
  ])('%s', (text, parts) => {
    expect(parseImageReference(text)).toEqual(parts)
    expect(parseImageReference(formatImageReference(parts))).toEqual(parts)
  })
})

describe('refuses', () => {
  test.each([
    ['no host', 'svcd:1'],
    ['a word that is no host', `team/svcd@${digest}`],
    ['neither tag nor digest', 'registry.example.net/svcd'],
    ['latest', 'registry.example.net/svcd:latest'],
    ['latest with a digest', `registry.example.net/svcd:latest@${digest}`],
    ['upper case in the repository', 'registry.example.net/Svcd:1'],
    ['an empty component', 'registry.example.net//svcd:1'],
    ['a path upward', 'registry.example.net/../svcd:1'],
    ['a short digest', 'registry.example.net/svcd@sha256:abc'],
    ['another algorithm', `registry.example.net/svcd@sha512:${'a'.repeat(64)}`],
    ['two digests', `registry.example.net/svcd@${digest}@${digest}`],
    ['a port out of range', 'registry.example.net:70000/svcd:1'],
    ['a scheme', 'https://registry.example.net/svcd:1'],
    ['user information', 'me:pw@registry.example.net/svcd:1'],
    ['blanks', 'registry.example.net/svcd:1 --privileged'],
    ['a trailing newline', 'registry.example.net/svcd:1\n'],
    ['a local image by tag', 'local/svcd:1'],
    ['a local path', '/usr/local/bin/svcd'],
    ['nothing', ''],
    ['too much', `registry.example.net/${'a'.repeat(600)}:1`],
  ])('%s', (_name, text) => {
    verifies('image.reference')
    expect(parseImageReference(text)).toBeUndefined()
  })
})

test('a repository is allowed by equality, never by prefix', () => {
  verifies('image.reference')
  const allowed = 'registry.example.net/svcd'
  const inside = (text: string) => isInRepository(parseImageReference(text)!, allowed)
  expect(inside('registry.example.net/svcd:1')).toBe(true)
  expect(inside('registry.example.net/svcd-evil:1')).toBe(false)
  expect(inside('registry.example.net/svcd/more:1')).toBe(false)
  expect(inside('registry.example.net.evil.example/svcd:1')).toBe(false)
  expect(inside('registry.example.net:5000/svcd:1')).toBe(false)
})

test('an image is the same by digest, else by tag', () => {
  const repo = 'registry.example.net/svcd'
  expect(isSameImage(`${repo}:1`, `${repo}:1@${digest}`)).toBe(true)
  expect(isSameImage(`${repo}:1@${digest}`, `${repo}@${digest}`)).toBe(true)
  expect(isSameImage(`${repo}:1@${digest}`, `${repo}:1@${other}`)).toBe(false)
  expect(isSameImage(`${repo}:1`, `${repo}:2`)).toBe(false)
  expect(isSameImage(`${repo}:1`, `${repo}@${digest}`)).toBe(false)
  expect(isSameImage(`${repo}:1`, `other.example.net/svcd:1`)).toBe(false)
})
