import { expect, test } from 'vitest'
import { toToolResult } from '@svc/shared/wire/error-body.ts'
import { fail, type ErrorCode, type ServiceError } from '@svc/shared/wire/errors.ts'
import { toolDefinitions } from '@svc/shared/wire/mcp/tools.ts'
import { verifies } from '../../../test/requirements.ts'
import { daemonTool } from './daemon-tool.ts'

/** What an agent is told to do next when the daemon's part of a call fails. */
async function nextAfter(name: string, code: ErrorCode): Promise<string> {
  const definition = toolDefinitions.find((one) => one.name === name)
  if (definition === undefined) throw new Error(`${name} is not a tool`)
  const { call } = daemonTool(definition, {
    openReachedCall: async () => ({ orgId: 'org_a', org: 'acme', identity: {}, countUse: () => {} }) as never,
    recordWrite: async () => {},
    callTool: () => Promise.reject(fail(code, { reason: 'test' })),
  })
  const by = { grant: { user_id: 'usr_a' } as never, signal: new AbortController().signal }
  const failed = await call({ org: 'acme', vaultId: 'v' }, by).catch((error: ServiceError) => toToolResult(error))
  if (!('structuredContent' in failed)) throw new Error('the call did not fail')
  expect(failed.structuredContent).toMatchObject({ code, reason: 'test' })
  return String(failed.structuredContent.next)
}

test.each<ErrorCode>(['daemon_timeout', 'daemon_unreachable'])(
  'after %s a call that may have changed something is not made again before a look',
  async (code) => {
    const next = 'The change may have been made: look before you call again.'
    expect(await nextAfter('edit_note', code)).toBe(next)
    expect(await nextAfter('create_note', code)).toBe(next)
    expect(await nextAfter('read_note', code)).toMatch(/make the same call again/)
  },
)

test('a call that did not reach the daemon can be made again', async () => {
  for (const code of ['daemon_offline', 'relay_overloaded'] as const)
    expect(await nextAfter('edit_note', code)).toMatch(/make the same call again/)
})

test.each([
  ['read_note', 'v'],
  ['list_vaults', undefined],
])('a call of %s is admitted for the vault that the tool takes', async (name, vaultId) => {
  verifies('agents.many-vaults')
  let asked: unknown
  const { call } = daemonTool(
    toolDefinitions.find((one) => one.name === name)!,
    {
      openReachedCall: async (target) => {
        asked = target.vaultId
        return { orgId: 'org_a', org: 'acme', identity: {}, countUse: () => {} } as never
      },
      recordWrite: async () => {},
      callTool: async () => ({ ok: true, result: {}, content: [] }),
    },
  )
  await call({ org: 'acme', vaultId: 'v' }, { grant: {} as never, signal: new AbortController().signal })
  expect(asked).toBe(vaultId)
})
