import { describe, expect, test } from 'vitest'
import { keptWorkspace } from './kept-workspace.ts'
import { tabNames } from './tab-names.ts'
import * as changes from './tab-changes.ts'
import * as workspace from './workspace.ts'

const tabs = { ...workspace, ...changes }

const open = (...paths: string[]) =>
  paths.reduce((now, path) => tabs.openTab(now, { path, as: 'shown' }), tabs.emptyWorkspace)
const shown = (now: workspace.Workspace) =>
  now.panes.map(({ id, tabs: all, active }) => {
    const names = all.map((path) => (path === active ? `[${path}]` : path)).join(' ')
    return id === now.focused ? `* ${names}` : names
  })

describe('tabs of one pane', () => {
  const three = open('a', 'b', 'c')

  test.each([
    ['a file takes the place of the one that is shown', tabs.show(three, 'd'), '* a b [d]'],
    ['a file that has a tab is shown in it', tabs.show(three, 'a'), '* [a] b c'],
    ['a tab behind leaves what is shown', tabs.openTab(three, { path: 'd', as: 'behind' }), '* a b [c] d'],
    [
      'a new tab stands right of the one shown',
      tabs.openTab(tabs.show(three, 'a'), { path: 'd', as: 'shown' }),
      '* a [d] b c',
    ],
    ['closing the shown tab shows its neighbour', tabs.closeTab(tabs.show(three, 'b'), 'b'), '* a [c]'],
    ['closing the last in the row shows the one before', tabs.closeTab(three, 'c'), '* a [b]'],
    ['closing another leaves what is shown', tabs.closeTab(three, 'a'), '* b [c]'],
    ['the next of the last is the first', tabs.stepTab(three, 1), '* [a] b c'],
    ['the one before', tabs.stepTab(three, -1), '* a [b] c'],
    ['a tab moves left', tabs.shiftTab(three, -1), '* a [c] b'],
    ['the last one does not move right', tabs.shiftTab(three, 1), '* a b [c]'],
    ['a closed tab comes back', tabs.reopenTab(tabs.closeTab(three, 'a')), '* b [c] [a]'.replace('[c]', 'c')],
    ['a moved file keeps its tab', tabs.movedTabs(three, { from: 'b', to: 'x/b' }), '* a x/b [c]'],
    ['a deleted file loses its tab', tabs.withoutDeleted(three, 'c'), '* a [b]'],
    ['a tab is dropped before another', tabs.dropTab(three, { path: 'c', from: 0, to: 0, before: 'a' }), '* [c] a b'],
  ])('%s', (_, now, expected) => expect(shown(now)).toEqual([expected]))

  test('files of a moved or deleted folder go with it', () => {
    const now = open('f/a', 'fa', 'f/g/b')
    expect(shown(tabs.movedTabs(now, { from: 'f', to: 'h' }))).toEqual(['* h/a fa [h/g/b]'])
    expect(shown(tabs.withoutDeleted(now, 'f'))).toEqual(['* [fa]'])
  })

  test('beyond fifty the first tab gives way, and can be opened again', () => {
    const now = open(...Array.from({ length: 51 }, (_, nth) => `n${nth}`))
    expect(now.panes[0].tabs).toHaveLength(50)
    expect(now.closed).toEqual(['n0'])
  })
})

describe('two panes', () => {
  const both = tabs.split(open('a', 'b'))

  test.each([
    ['both show the note', both, ['a [b]', '* [b]']],
    ['a file opens in the pane with the focus', tabs.show(both, 'c'), ['a [b]', '* [c]']],
    ['one again has the tabs of both', tabs.join(both), ['* [b] a']],
    ['without its last tab a pane goes away', tabs.closeTab(both, 'b'), ['* a [b]']],
    ['a tab goes to the other pane', tabs.sendAcross(tabs.focusPane(tabs.show(both, 'c'), 0)), ['[a]', '* c [b]']],
    ['sending the only tab makes no empty pane', tabs.sendAcross(open('a')), ['* [a]']],
    ['sending one of two makes a pane', tabs.sendAcross(open('a', 'b')), ['[a]', '* [b]']],
    ['a deleted file leaves both', tabs.withoutDeleted(both, 'b'), ['* [a]']],
    [
      'a dragged tab is shown where it is dropped',
      tabs.dropTab(both, { path: 'a', from: 0, to: 1, before: 'b' }),
      ['[b]', '* [a] b'],
    ],
  ])('%s', (_, now, expected) => expect(shown(now)).toEqual(expected))
})

test('what the browser has kept is read back; what is damaged is nothing open', () => {
  const both = tabs.split(open('a', 'b'))
  expect(keptWorkspace(JSON.parse(JSON.stringify(both)))).toEqual(both)
  for (const damaged of [undefined, null, 3, 'x', {}, { panes: 1 }, { panes: [null, { tabs: [7] }] }])
    expect(keptWorkspace(damaged)).toEqual(tabs.emptyWorkspace)
  expect(shown(keptWorkspace({ panes: [{ id: 0, tabs: ['a'], active: 'gone' }], focused: 1 }))).toEqual(['* a'])
})

test('two files of one name are told apart by their folders', () => {
  expect(tabNames(['a/Plan.md', 'b/Plan.md', 'b/Note.md', 'Plan.md'])).toEqual(['a/Plan', 'b/Plan', 'Note', 'Plan'])
})
