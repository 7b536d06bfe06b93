import { expect, it } from 'vitest'
import { headingKey } from '../markdown/headings.ts'
import { blocksOf, headingsOf } from './places-of-text.ts'

it('names each heading once, in words that a link may have and that lead to it', () => {
  const text = '# Plan\n\n## What [[Map|it]] costs | 2026 #now\n\n```\n# code\n```\n\n### Steps\n\n## Steps\n'
  expect(headingsOf(text)).toEqual([
    { name: 'Plan', level: 1 },
    { name: 'What it costs 2026 now', level: 2 },
    { name: 'Steps', level: 3 },
  ])
  expect(headingKey('What it costs 2026 now')).toBe(headingKey('What it costs | 2026 #now'))
})

it('finds the names of blocks at the ends of lines', () => {
  expect(blocksOf('A line. ^first\n- item ^second \n2^10 and a^b\n^alone\nagain ^first\n')).toEqual([
    'first',
    'second',
    'alone',
  ])
})

it('reads a long line of marks in no time', () => {
  expect(blocksOf(' ^a'.repeat(100_000))).toEqual(['a'])
  expect(blocksOf('\t'.repeat(100_000))).toEqual([])
  expect(blocksOf(`${' ^'.repeat(50_000)}${'-'.repeat(100_000)}.`)).toEqual([])
})
