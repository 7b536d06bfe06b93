import { expect, test } from 'vitest'
import { fail } from '../errors.ts'
import { createAnswers } from './answer-requests.ts'
import { rpcCodes } from './rpc-failure.ts'

function setUp() {
  const logged: Record<string, unknown>[] = []
  return { logged, ...createAnswers({ error: (details) => void logged.push(details) }) }
}
const bug = new Error('secret of the inside')
const broken = async () => {
  throw bug
}

test('a request has its result, an expected failure as one of the protocol, and a bug without details but logged', async () => {
  const { asRpc, logged } = setUp()
  expect(await asRpc(() => 1)).toBe(1)
  const missing = asRpc(() => Promise.reject(fail('not_found')), { uri: 'vault://v/a.md' })
  await expect(missing).rejects.toMatchObject({ code: rpcCodes.resourceNotFound, data: { uri: 'vault://v/a.md' } })
  expect(logged).toEqual([])
  await expect(asRpc(broken)).rejects.toMatchObject({ code: rpcCodes.internal, message: 'Internal error' })
  expect(logged).toEqual([{ err: bug }])
})

test('a tool call has its result, an expected failure that the model reads, and a bug without details but logged', async () => {
  const { asToolResult, logged } = setUp()
  const done = { result: { path: 'a.md' }, content: [{ type: 'text', text: 'a' }] }
  expect(await asToolResult({ name: 'read_note', progress: undefined, call: async () => done })).toEqual({
    content: done.content,
    structuredContent: done.result,
  })
  const stale = await asToolResult({
    name: 'edit_note',
    progress: undefined,
    call: () => Promise.reject(fail('stale_doc')),
  })
  expect(stale).toMatchObject({ isError: true, structuredContent: { code: 'stale_doc' } })
  expect(logged).toEqual([])
  const failed = await asToolResult({ name: 'read_note', progress: undefined, call: broken })
  expect(failed).toMatchObject({ isError: true, structuredContent: { code: 'internal' } })
  expect(JSON.stringify(failed)).not.toContain('secret')
  expect(logged).toEqual([{ err: bug, tool: 'read_note' }])
})
