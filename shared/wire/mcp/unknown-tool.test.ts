import { expect, test } from 'vitest'
import { unknownTool } from './unknown-tool.ts'

const known = ['list_vaults', 'vault_info', 'list_notes', 'search_notes', 'read_note', 'edit_note', 'delete_note']
const told = (name: string) => unknownTool(name, known)

test.each([
  ['raed_note', 'read_note'],
  ['read_notes', 'read_note'],
  ['readNote', 'read_note'],
  ['note_read', 'read_note'],
  ['mcp__svc__read_note', 'read_note'],
  ['svc.search_notes', 'search_notes'],
  ['serch_notes', 'search_notes'],
  ['LIST-VAULT', 'list_vaults'],
  ['delete_a_note', 'delete_note'],
])('%s is told with %s', (name, meant) => {
  expect(told(name)).toMatchObject({ code: -32602, message: `Unknown tool: ${name}. Did you mean ${meant}?` })
})

test.each(['', '???', 'rm', 'send_mail', 'x'.repeat(10_000)])('%.20s is told with all tools', (name) => {
  expect(told(name).message).toBe(`Unknown tool: ${name.slice(0, 100)}. The tools are ${known.join(', ')}.`)
})
