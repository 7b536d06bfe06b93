import { beforeEach, expect, test } from 'vitest'
import type { Memory } from '../app/memory.ts'
import { browserNavigation, type Navigation } from '../app/navigation.ts'
import { join, sendAcross, split } from './tab-changes.ts'
import { tabStore, type TabStore } from './tab-store.ts'

const noMemory: Memory = { recall: (_, fallback) => fallback, keep: () => {} }

/** The parts of a window that navigation needs. */
function windowAt(address: string): Window {
  const location = new URL(address, 'http://vault.test')
  const go = (_state: unknown, _title: string, to: string) => void (location.href = new URL(to, location).href)
  const history = { state: undefined, pushState: go, replaceState: go }
  return { location, history, addEventListener: () => {} } as unknown as Window
}

let navigation: Navigation
let tabs: TabStore

beforeEach(() => {
  navigation = browserNavigation(windowAt('/v/v/A.md'))
  tabs = tabStore({ vaultId: 'v', navigation, memory: noMemory, visit: noMemory })
  return tabs.attach()
})

const openTags = () => navigation.open({ vaultId: 'v', view: 'tags' })
const shown = (pane: 0 | 1) => {
  const { path, view } = tabs.routeOf(pane)
  return view ?? path
}

test('a page of the vault stays in its pane while the other one is used', () => {
  tabs.change(split)
  openTags()
  tabs.focus(0)
  expect([shown(0), shown(1)]).toEqual(['A.md', 'tags'])
  tabs.focus(1)
  expect([shown(0), shown(1)]).toEqual(['A.md', 'tags'])
})

test('a new pane shows the file it was opened for, not what an earlier one showed', () => {
  tabs.change(split)
  openTags()
  tabs.focus(0)
  tabs.change(join)
  tabs.change(split)
  expect([shown(0), shown(1)]).toEqual(['A.md', 'A.md'])
  expect(navigation.current()).toEqual({ vaultId: 'v', path: 'A.md' })
})

test.each(['B.md', 'A.md'])(
  'the file %s that is sent to the other pane is shown there, over a page of the vault',
  (file) => {
    tabs.change(split)
    openTags()
    tabs.focus(0)
    tabs.openTab({ path: 'B.md' }, 'shown')
    if (file === 'A.md') tabs.go(0, 'A.md')
    tabs.change(sendAcross)
    expect(shown(1)).toBe(file)
  },
)

test('a pane that is left when the other one closes shows what it showed', () => {
  tabs.change(split)
  openTags()
  tabs.focus(0)
  navigation.open({ vaultId: 'v', path: 'B.md' })
  tabs.deleted('B.md')
  expect(navigation.current()).toEqual({ vaultId: 'v', view: 'tags' })
})

test.each([undefined, 'history'] as const)('opening the active file in a tab leads to it from another page', (view) => {
  if (view === undefined) openTags()
  else navigation.open({ vaultId: 'v', path: 'A.md', view })
  tabs.openTab({ path: 'A.md', heading: 'Plan' }, 'shown')
  expect(navigation.current()).toEqual({ vaultId: 'v', path: 'A.md', heading: 'Plan' })
})

test('opening a file behind leaves the page that is shown', () => {
  openTags()
  tabs.openTab({ path: 'A.md' }, 'behind')
  tabs.openTab({ path: 'B.md' }, 'behind')
  expect(shown(0)).toBe('tags')
})

test('a page of the vault stays when the file behind it is moved or deleted', () => {
  tabs.openTab({ path: 'B.md' }, 'shown')
  tabs.openTab({ path: 'C.md' }, 'behind')
  openTags()
  tabs.change(split)
  expect([shown(0), shown(1)]).toEqual(['tags', 'B.md'])
  tabs.moved({ from: 'B.md', to: 'D.md' })
  expect([shown(0), shown(1)]).toEqual(['tags', 'D.md'])
  navigation.open({ vaultId: 'v', path: 'E.md' })
  tabs.deleted('D.md')
  expect([shown(0), shown(1)]).toEqual(['tags', 'E.md'])
})
