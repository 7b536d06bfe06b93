import { afterEach, expect, test, vi } from 'vitest'
import { fail } from '@svc/shared/wire/errors.ts'
import { listVaults } from '@svc/shared/wire/mcp/vault-tools.ts'
import { verifies } from '../../../test/requirements.ts'
import { createFeatures } from './features.ts'
import { localClient } from './tool-caller.ts'
import type { Tool } from './tool.ts'

afterEach(() => void vi.useRealTimers())

const failures: unknown[] = []
const featuresWith = (call: Tool['call']) =>
  createFeatures({
    tools: [{ definition: listVaults, call }],
    resources: { list: async () => ({ resources: [] }), read: async () => Promise.reject(fail('not_found')) },
    registry: { list: () => [] } as never,
    log: { error: (told: unknown) => failures.push(told) } as never,
  })
const caller = localClient('test')

test('a long call tells every second that it is running, and nothing when it is over', async () => {
  verifies('mcp.progress')
  vi.useFakeTimers()
  const told: number[] = []
  let finish = () => {}
  const waiting = new Promise<void>((resolve) => (finish = resolve))
  const features = featuresWith(async () => {
    await waiting
    return { result: { vaults: [] }, content: [] }
  })
  const answer = features.callTool({ name: 'list_vaults', args: {}, caller, progress: (seconds) => told.push(seconds) })
  await vi.advanceTimersByTimeAsync(2500)
  finish()
  await answer
  await vi.advanceTimersByTimeAsync(5000)
  expect(told).toEqual([1, 2])
})

test('a bug says nothing of itself to the client, and everything to the log', async () => {
  const features = featuresWith(async () => Promise.reject(new Error('secret of the machine')))
  const answer = await features.callTool({ name: 'list_vaults', args: {}, caller })
  expect(JSON.stringify(answer)).not.toContain('secret')
  expect(answer).toMatchObject({ isError: true, structuredContent: { code: 'internal' } })
  expect(failures).toHaveLength(1)
})

test('a resource that is not there is told by its own code', async () => {
  const features = featuresWith(async () => ({ result: {}, content: [] }))
  await expect(features.readResource('vault://v/a.md')).rejects.toMatchObject({ code: -32002 })
})
