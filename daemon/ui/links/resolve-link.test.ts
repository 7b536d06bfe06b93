import { describe, expect, it } from 'vitest'
import type { TreeNode } from '../api/daemon-client.ts'
import { linkIndex } from './link-index.ts'
import { linkLabel, parseLinkTarget } from './link-target.ts'
import { resolveAddress, resolveLink } from './resolve-link.ts'

const file = (path: string): TreeNode => {
  const common = { name: path.split('/').at(-1)!, path, size: 1, modifiedAt: '2026-01-01T00:00:00Z' }
  return /\.(?:md|markdown)$/.test(path) ? { kind: 'note', ...common, title: '' } : { kind: 'attachment', ...common }
}
const folder = (path: string, ...children: TreeNode[]): TreeNode => ({
  kind: 'folder',
  name: path.split('/').at(-1)!,
  path,
  children,
})

const index = linkIndex([
  file('Home.md'),
  file('Plan.md'),
  folder('team', file('team/Plan.md'), file('team/Day.md'), folder('team/old', file('team/old/Day.md'))),
  folder('deep', folder('deep/er', file('deep/er/Only.md'), file('deep/er/v1.2.md'))),
  folder('files', file('files/image.png'), file('files/Cafe\u0301.md')),
  folder('long', file('long/Long.markdown'), file('long/Both.markdown'), file('long/Both.md')),
  folder(
    'bare',
    file('bare/Scan.pdf'),
    file('bare/Bare'),
    folder('bare/in', file('bare/in/Scan.pdf.md'), file('bare/in/Bare.md')),
  ),
])

describe('wiki links', () => {
  it.each([
    ['a name that is there once', 'Only', 'Home.md', 'deep/er/Only.md'],
    ['a name without regard to case', 'home', 'Plan.md', 'Home.md'],
    ['a name with its extension', 'Only.md', 'Home.md', 'deep/er/Only.md'],
    ['the long ending', 'Long', 'Home.md', 'long/Long.markdown'],
    ['the long ending at the end of a path', 'long/long', 'Home.md', 'long/Long.markdown'],
    ['the long ending of a relative path', './Long', 'long/Both.md', 'long/Long.markdown'],
    ['the short ending of two', 'Both', 'Home.md', 'long/Both.md'],
    ['the near file of any ending', 'Scan.pdf', 'bare/Bare', 'bare/Scan.pdf'],
    ['the file with the shortest path of any ending', 'Bare', 'Home.md', 'bare/Bare'],
    ['a name with a dot in it', 'v1.2', 'Home.md', 'deep/er/v1.2.md'],
    ['the exact path before the own folder', 'Plan', 'team/Day.md', 'Plan.md'],
    ['the own folder before a shorter path', 'Day', 'team/old/Day.md', 'team/old/Day.md'],
    ['the shortest path else', 'Day', 'Home.md', 'team/Day.md'],
    ['the end of a path', 'old/Day', 'Home.md', 'team/old/Day.md'],
    ['a path from the root', '/team/Plan', 'Home.md', 'team/Plan.md'],
    ['a relative path', '../Day', 'team/old/Day.md', 'team/Day.md'],
    ['an attachment', 'image.png', 'Home.md', 'files/image.png'],
    ['a name in another normal form', 'Café', 'Home.md', 'files/Cafe\u0301.md'],
    ['the note itself', '', 'team/Day.md', 'team/Day.md'],
  ])('find %s', (_, target, from, path) => expect(resolveLink(index, { target, from })?.path).toBe(path))

  it.each(['Nothing', 'eam/Plan', 'image', ''])('find nothing for %j where nothing is', (target) =>
    expect(resolveLink(index, { target, from: 'absent.md' })).toBeUndefined(),
  )
})

describe('Markdown links', () => {
  it('are relative to their note first', () => {
    expect(resolveAddress(index, { target: 'Plan.md', from: 'team/Day.md' })?.path).toBe('team/Plan.md')
    expect(resolveAddress(index, { target: '/Plan.md', from: 'team/Day.md' })?.path).toBe('Plan.md')
    expect(resolveAddress(index, { target: 'files/image.png', from: 'team/Day.md' })?.path).toBe('files/image.png')
  })

  it('may omit the long ending', () => {
    expect(resolveAddress(index, { target: 'Long', from: 'long/Both.md' })?.path).toBe('long/Long.markdown')
    expect(resolveAddress(index, { target: 'long/Long', from: 'Home.md' })?.path).toBe('long/Long.markdown')
  })

  it('that are longer than any path lead nowhere', () =>
    expect(resolveAddress(index, { target: 'a/'.repeat(3000), from: 'Home.md' })).toBeUndefined())

  it('never lead out of the vault', () =>
    expect(resolveAddress(index, { target: '../../../../Home.md', from: 'team/Day.md' })?.path).toBe('Home.md'))
})

describe('the inside of a link', () => {
  it.each([
    ['Note', { target: 'Note' }, 'Note'],
    ['Note|shown', { target: 'Note', alias: 'shown' }, 'shown'],
    ['Note\\|shown', { target: 'Note', alias: 'shown' }, 'shown'],
    ['Note#Part|shown', { target: 'Note', heading: 'Part', alias: 'shown' }, 'shown'],
    ['Note#A#B', { target: 'Note', heading: 'A#B' }, 'Note › A › B'],
    ['#Part', { target: '', heading: 'Part' }, 'Part'],
    ['Note#^id', { target: 'Note', block: 'id' }, 'Note › ^id'],
  ])('%s', (inside, expected, label) => {
    expect(parseLinkTarget(inside)).toEqual(expected)
    expect(linkLabel(parseLinkTarget(inside))).toBe(label)
  })
})
