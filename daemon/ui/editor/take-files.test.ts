import { expect, test } from 'vitest'
import { hasTextOfItsOwn } from './take-files.ts'

const plan = { name: 'plän.pdf' }
const map = { name: 'map.png' }

test.each<[string, { name: string }[], Record<string, string>, boolean]>([
  ['a picture', [map], {}, false],
  ['a picture of a page', [map], { 'text/html': '<img>' }, false],
  ['a file with its name, in another normal form', [plan], { 'text/plain': 'pla\u0308n.pdf' }, false],
  ['files with their names', [plan, map], { 'text/plain': 'plän.pdf\rmap.png' }, false],
  ['a file with its path', [map], { 'text/plain': '/home/ada/map.png\n' }, false],
  ['cells of a spreadsheet', [map], { 'text/plain': '1\t2', 'text/html': '<table>' }, true],
  ['words of a text program', [map], { 'text/plain': 'map.png', 'text/rtf': '{}' }, true],
  ['words with a picture', [map], { 'text/plain': 'See map.png' }, true],
])('%s', (_name, files, texts, expected) => {
  const data = {
    types: ['Files', ...Object.keys(texts)],
    files: files as never,
    getData: (type: string) => texts[type]!,
  }
  expect(hasTextOfItsOwn(data)).toBe(expected)
})
