import { expect, test } from 'vitest'
import { takeCensus, type FoundDirectory } from './vault-census.ts'

const vault = (name: string, identity = `i-${name}`, mark = 'm'): FoundDirectory => ({
  name,
  mark,
  state: 'vault',
  identity,
})
const plain = (name: string, mark = 'm'): FoundDirectory => ({ name, mark, state: 'new' })
const nothing = { close: [], rename: [], open: [], refused: [], isUndecided: false }
const a = vault('a')
const open = new Map([['a', 'i-a']])

test.each([
  ['nothing changed', { open, found: [a], before: [a] }, nothing],
  ['a directory came just now', { open, found: [a, plain('b')], before: [a] }, { ...nothing, isUndecided: true }],
  [
    'a directory is still being filled',
    { open, found: [a, plain('b', 'm2')], before: [a, plain('b')] },
    { ...nothing, isUndecided: true },
  ],
  [
    'a directory came and is quiet',
    { open, found: [a, plain('b')], before: [a, plain('b')] },
    { ...nothing, open: ['b'] },
  ],
  ['a vault came', { open, found: [a, vault('b')], before: [a, vault('b')] }, { ...nothing, open: ['b'] }],
  ['a vault is missing in one look', { open, found: [], before: [a] }, { ...nothing, isUndecided: true }],
  ['a vault is gone', { open, found: [], before: [] }, { ...nothing, close: ['a'] }],
  [
    'a vault got another name',
    { open, found: [vault('b', 'i-a')], before: [vault('b', 'i-a')] },
    { ...nothing, rename: [{ from: 'a', to: 'b' }] },
  ],
  [
    'a vault was copied',
    { open, found: [a, vault('b', 'i-a')], before: [a, vault('b', 'i-a')] },
    { ...nothing, refused: [{ name: 'b', reason: 'has the same identity as a' }] },
  ],
  [
    'the identity of a copied vault is being written anew',
    { open, found: [plain('a'), vault('b', 'i-a')], before: [a, vault('b', 'i-a')] },
    { ...nothing, refused: [{ name: 'a', reason: 'has lost its .svc/vault.json' }], isUndecided: true },
  ],
  [
    'two vaults with one identity came at once',
    { open, found: [a, vault('b', 'x'), vault('c', 'x')], before: [a, vault('b', 'x'), vault('c', 'x')] },
    { ...nothing, open: ['b'], refused: [{ name: 'c', reason: 'has the same identity as b' }] },
  ],
  [
    'another vault took the place of one',
    { open, found: [vault('a', 'x')], before: [vault('a', 'x')] },
    { ...nothing, close: ['a'], open: ['a'] },
  ],
  [
    'two vaults swapped their names',
    {
      open: new Map([...open, ['b', 'i-b']]),
      found: [vault('a', 'i-b'), vault('b', 'i-a')],
      before: [vault('a', 'i-b'), vault('b', 'i-a')],
    },
    { ...nothing, close: ['a', 'b'], isUndecided: true },
  ],
  [
    'another vault took the name of one that got another name',
    { open, found: [vault('a', 'x'), vault('b', 'i-a')], before: [vault('a', 'x'), vault('b', 'i-a')] },
    { ...nothing, close: ['a'], open: ['a'], isUndecided: true },
  ],
  [
    'a directory without an identity took the name of a vault that got another name',
    { open, found: [plain('a'), vault('b', 'i-a')], before: [plain('a'), vault('b', 'i-a')] },
    { ...nothing, rename: [{ from: 'a', to: 'b' }], isUndecided: true },
  ],
  [
    'it is still being filled',
    { open, found: [plain('a', 'm2'), vault('b', 'i-a')], before: [plain('a'), vault('b', 'i-a')] },
    { ...nothing, refused: [{ name: 'a', reason: 'has lost its .svc/vault.json' }], isUndecided: true },
  ],
  [
    'a vault got another name and was copied at once',
    {
      open,
      found: [plain('a'), vault('b', 'i-a'), vault('c', 'i-a')],
      before: [plain('a'), vault('b', 'i-a'), vault('c', 'i-a')],
    },
    {
      ...nothing,
      rename: [{ from: 'a', to: 'b' }],
      refused: [{ name: 'c', reason: 'has the same identity as b' }],
      isUndecided: true,
    },
  ],
  [
    'an unmounted disk left an empty directory',
    { open, found: [plain('a')], before: [plain('a')] },
    { ...nothing, refused: [{ name: 'a', reason: 'has lost its .svc/vault.json' }] },
  ],
  [
    'a directory cannot be read',
    { open, found: [{ name: 'a', mark: 'm', state: 'unreadable', reason: 'EACCES' }], before: [a] },
    { ...nothing, refused: [{ name: 'a', reason: 'EACCES' }] },
  ],
] as const)('%s', (_name, looks, census) => {
  expect(takeCensus(looks)).toEqual(census)
})
