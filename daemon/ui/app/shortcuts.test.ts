import { describe, expect, it } from 'vitest'
import { shortcutOf, shownKeys } from './shortcuts.ts'

const press = (key: string, held: Partial<Record<'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey', boolean>> = {}) => ({
  key,
  code: `Key${key.toUpperCase()}`,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  ...held,
})
const pc = { isMac: false, isTyping: false }
const mac = { isMac: true, isTyping: false }

describe('shortcuts', () => {
  it.each([
    ['Ctrl-K', press('k', { ctrlKey: true }), pc, 'switcher'],
    ['Command-K on a Mac', press('k', { metaKey: true }), mac, 'switcher'],
    ['Ctrl-K on a Mac', press('k', { ctrlKey: true }), mac, undefined],
    ['Ctrl-Shift-F', press('F', { ctrlKey: true, shiftKey: true }), pc, 'search'],
    ['Ctrl-F', press('f', { ctrlKey: true }), pc, undefined],
    ['Option-N on a Mac, which types ˜', { ...press('˜', { altKey: true }), code: 'KeyN' }, mac, 'newNote'],
    [
      'Ctrl-Shift-F typed as Cyrillic',
      { ...press('А', { ctrlKey: true, shiftKey: true }), code: 'KeyF' },
      pc,
      'search',
    ],
    ['Ctrl-F on Colemak, at the place of E', { ...press('f', { ctrlKey: true }), code: 'KeyE' }, pc, undefined],
    ['Ctrl-R on Colemak, at the place of S', { ...press('r', { ctrlKey: true }), code: 'KeyS' }, pc, undefined],
    ['Ctrl-K on Colemak, at the place of N', { ...press('k', { ctrlKey: true }), code: 'KeyN' }, pc, 'switcher'],
    ['Ctrl-. on Dvorak, at the place of E', { ...press('.', { ctrlKey: true }), code: 'KeyE' }, pc, undefined],
    ['Alt-, on Dvorak, at the place of W', { ...press(',', { altKey: true }), code: 'KeyW' }, pc, undefined],
    ['Option-N on a Mac, which types ~', { ...press('~', { altKey: true }), code: 'KeyN' }, mac, 'newNote'],
    ['Option-N on a Mac with Dvorak, which types ˜', { ...press('˜', { altKey: true }), code: 'KeyL' }, mac, undefined],
    ['a question mark', press('?', { shiftKey: true }), pc, 'cheatSheet'],
    ['a question mark while typing', press('?', { shiftKey: true }), { ...pc, isTyping: true }, undefined],
    ['F6 while typing', press('F6'), { ...pc, isTyping: true }, 'nextPart'],
    ['Shift-F6', press('F6', { shiftKey: true }), pc, 'previousPart'],
    ['Ctrl-S while typing', press('s', { ctrlKey: true }), { ...pc, isTyping: true }, 'save'],
  ])('%s', (_, pressed, setting, expected) => expect(shortcutOf(pressed, setting)).toBe(expected))

  it('are written as on the keyboard', () => {
    expect(shownKeys('Mod-Shift-F', false)).toEqual(['Ctrl', 'Shift', 'F'])
    expect(shownKeys('Mod-Shift-F', true)).toEqual(['⌘', '⇧', 'F'])
  })
})
