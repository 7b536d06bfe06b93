import { describe, expect, test } from 'vitest'
import { clientConfiguration, clientIds, withEntry } from './agent-clients.ts'

const launch = { command: 'svcd', args: ['mcp'], env: { SVC_HOME: '/a "b"' } }
const place = { platform: 'linux', home: '/home/ada', folder: '/work' }
const of = (id: string) => clientConfiguration(id, launch, place)!

test.each(clientIds.map((id) => [id]))('%s gets a file of its own and the command', (id) => {
  const { file, text } = of(id)
  expect(file).toMatch(/^\/(home\/ada|work)\//)
  expect(text).toContain('"svcd"')
  expect(text).toContain(String.raw`/a \"b\"`)
})

test('an unknown client has none', () => {
  for (const id of ['', 'none', 'toString']) expect(clientConfiguration(id, launch, place)).toBeUndefined()
})

describe('an existing file', () => {
  test('keeps everything else', () => {
    const old = '{"theme":"x","mcpServers":{"other":{"command":"o"},"svc":{"command":"old"}}}'
    expect(JSON.parse(withEntry(old, of('cursor'))!)).toEqual({
      theme: 'x',
      mcpServers: { other: { command: 'o' }, svc: launch },
    })
    expect(withEntry('model = "x"\n', of('codex'))).toBe(`model = "x"\n\n${of('codex').text}`)
  })

  test.each<[string, string, string]>([
    ['with comments', 'vscode', '{ // mine\n }'],
    ['that is a list', 'cursor', '[]'],
    ['with something else in the place', 'cursor', '{"mcpServers":[]}'],
    ['that has the table already', 'codex', '[mcp_servers.svc]\ncommand = "x"\n'],
  ])('%s is left to its owner', (_what, id, old) => expect(withEntry(old, of(id))).toBeUndefined())

  test.each([[''], ['  \n']])('that is empty (%j) is made anew', (old) =>
    expect(withEntry(old, of('zed'))).toBe(of('zed').text),
  )
})
