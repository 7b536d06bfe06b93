import { afterEach, expect, test, vi } from 'vitest'
import { call, onSignedOut } from './request.ts'

afterEach(() => vi.unstubAllGlobals())

const json = (status: number) =>
  new Response(JSON.stringify({ ok: status === 200, error: { code: 'unauthenticated', message: '' } }), { status })

test('a read that met a session which a write was replacing is sent again, and nobody is signed out', async () => {
  let replaced = () => {}
  let hasNewCookie = false
  vi.stubGlobal('fetch', (_path: string, { method }: RequestInit) => {
    if (method === 'GET') return Promise.resolve(json(hasNewCookie ? 200 : 401))
    return new Promise<Response>((resolve) => {
      replaced = () => {
        hasNewCookie = true
        resolve(json(200))
      }
    })
  })
  const signedOut = vi.fn<() => void>()
  const stop = onSignedOut(signedOut)
  const write = call('PATCH /api/settings/preferences', { body: { theme: 'dark' } })
  const read = call('GET /api/settings')
  await new Promise((resolve) => setTimeout(resolve, 5))
  replaced()
  await Promise.all([write, read])
  expect(signedOut).not.toHaveBeenCalled()

  hasNewCookie = false
  await expect(call('GET /api/settings')).rejects.toMatchObject({ code: 'unauthenticated' })
  expect(signedOut).toHaveBeenCalledTimes(1)
  stop()
})
