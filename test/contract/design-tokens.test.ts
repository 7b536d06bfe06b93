import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { contrast, tokenColours } from '../support/token-colours.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const file = `${root}shared/design/tokens.css`

const text: readonly [string, string][] = [
  ['ink', 'paper'],
  ['ink', 'desk'],
  ['ink', 'raised'],
  ['ink', 'sunk'],
  ['ink', 'mark'],
  ['ink', 'select'],
  ['ink', 'blue-wash'],
  ['ink', 'pencil-wash'],
  ['ink-quiet', 'paper'],
  ['ink-quiet', 'desk'],
  ['ink-quiet', 'sunk'],
  ['blue', 'paper'],
  ['blue', 'desk'],
  ['on-blue', 'blue'],
  ['on-blue', 'blue-deep'],
  ['paper', 'ink'],
  ['pencil', 'paper'],
  ['pencil', 'pencil-wash'],
  ['good', 'paper'],
  ['good', 'good-wash'],
  ['warn', 'paper'],
  ['warn', 'warn-wash'],
  ['bad', 'paper'],
  ['bad', 'bad-wash'],
  ...['ink-1', 'ink-2', 'ink-3', 'ink-4', 'ink-5'].map((ink): [string, string] => [ink, 'paper']),
  // The names of other people are written on their ink.
  ...['ink-2', 'ink-3', 'ink-4', 'ink-5'].map((ink): [string, string] => ['on-blue', ink]),
]

const marks: readonly [string, string][] = [
  ['edge', 'paper'],
  ['edge', 'raised'],
  ['focus', 'paper'],
  ['focus', 'desk'],
  ['pencil-line', 'paper'],
  ['chart-1', 'paper'],
]

describe.each(['light', 'dark'] as const)('the tokens of the %s theme', (theme) => {
  const colours = tokenColours(file, theme)
  const ratio = ([front, ground]: readonly [string, string]) => contrast(colours.get(front)!, colours.get(ground)!)

  it.each(text)('%s on %s can be read', (...pair) => expect(ratio(pair)).toBeGreaterThanOrEqual(4.5))
  it.each(marks)('%s on %s can be seen', (...pair) => expect(ratio(pair)).toBeGreaterThanOrEqual(3))
})

it('styles of both apps use only tokens that exist, and no colour of their own', () => {
  const layout = ['--indent', '--cols']
  const defined = new Set([...layout, ...(readFileSync(file, 'utf8').match(/--[a-z0-9-]+(?=:)/g) ?? [])])
  const unknown: string[] = []
  for (const name of globSync(['daemon/ui/styles/*.css', 'control-plane/web/style/*.css', 'shared/design/base.css'], {
    cwd: root,
  })) {
    const css = readFileSync(root + name, 'utf8')
    const own = new Set(css.match(/--[a-z0-9-]+(?=:)/g))
    for (const [, used] of css.matchAll(/var\((--[a-z0-9-]+)\)/g))
      if (!defined.has(used!) && !own.has(used!)) unknown.push(`${name}: ${used}`)
    for (const colour of css.match(/#[0-9a-f]{3,8}\b|\brgba?\(|\bhsla?\(/gi) ?? []) unknown.push(`${name}: ${colour}`)
  }
  expect(unknown).toEqual([])
})
