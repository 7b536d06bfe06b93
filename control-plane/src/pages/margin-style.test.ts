import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { tokens } from './margin-style.ts'

test('the pages without a script have the colours and fonts of the design', () => {
  const design = readFileSync(new URL('../../../shared/design/tokens.css', import.meta.url), 'utf8')
  const [root = ''] = /:root \{[^}]*\}/.exec(design) ?? []
  for (const [name, value] of Object.entries(tokens)) expect(root).toContain(`  ${name}: ${value};\n`)
})
