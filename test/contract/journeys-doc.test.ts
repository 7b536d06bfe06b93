import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { journeys } from '../journeys.ts'
import { verifies } from '../requirements.ts'
import { asideOf, journeysText, unreached } from '../support/journeys-text.ts'
import { root } from '../support/source-imports.ts'

const page = join(root, 'docs/ARCHITECTURE.md')
const marked = /(<!-- journeys: [^>]*-->\n\n)[\s\S]*?(\n\n<!-- end of journeys -->)/

describe.each(journeys)('the reading list of “$name”', (journey) => {
  const paths = journey.legs.flatMap(({ files }) => files.map(([path]) => path))

  test('names files that exist, each once', () => {
    verifies('house.journeys')
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
    expect(paths.length).toBe(new Set(paths).size)
  })

  test('leads from each file to the next by an import', () => {
    verifies('house.journeys')
    expect(unreached(journey)).toEqual([])
  })

  test('is no longer than it was', () => {
    expect(paths.length).toBeLessThanOrEqual(journey.atMost)
    console.log(`${journey.name}: ${paths.length} files, ${asideOf(journey).length} beside the path`)
  })
})

test('docs/ARCHITECTURE.md has the reading lists', async () => {
  verifies('house.journeys')
  const text = readFileSync(page, 'utf8')
  expect(text).toMatch(marked)
  const written = text.replace(marked, (_all, start: string, end: string) => start + journeysText(journeys) + end)
  await expect(written).toMatchFileSnapshot(page)
})
