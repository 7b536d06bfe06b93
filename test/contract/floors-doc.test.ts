import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { buildings } from '../floors.ts'
import { verifies } from '../requirements.ts'
import { floorsPicture } from '../support/floors-picture.ts'

const page = fileURLToPath(new URL('../../docs/ARCHITECTURE.md', import.meta.url))
const marked = /(<!-- floors: [^>]*-->\n\n)[\s\S]*?(\n\n<!-- end of floors -->)/

test('docs/ARCHITECTURE.md shows the floors that the import rules enforce', async () => {
  verifies('house.floors')
  const text = readFileSync(page, 'utf8')
  expect(text).toMatch(marked)
  const drawn = text.replace(marked, (_all, start: string, end: string) => start + floorsPicture(buildings) + end)
  await expect(drawn).toMatchFileSnapshot(page)
})
