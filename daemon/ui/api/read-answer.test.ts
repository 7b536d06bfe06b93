import { describe, expect, it } from 'vitest'
import { readAnswer } from './read-answer.ts'
import { asRefusal, passesByItself, Refusal, secondsToRetry } from './refusal.ts'

const refusalOf = (response: Response) => readAnswer(response).then(() => undefined, asRefusal)

describe('answers', () => {
  it('gives the body of a success', async () => {
    expect(await readAnswer(Response.json({ ok: true, vaults: [] }))).toEqual({ ok: true, vaults: [] })
  })

  it('throws what the daemon told', async () => {
    const error = { code: 'stale_doc', message: 'Changed.', details: { baseline: 'b' }, requestId: 'r1' }
    const refusal = await refusalOf(Response.json({ ok: false, error }, { status: 409 }))
    expect(refusal).toMatchObject(error)
  })

  it('keeps Retry-After', async () => {
    const error = { code: 'daemon_waking', message: 'Waking.', requestId: 'r1' }
    const refusal = await refusalOf(
      Response.json({ ok: false, error }, { status: 503, headers: { 'retry-after': '3' } }),
    )
    expect(refusal).toMatchObject({ code: 'daemon_waking', retryAfterSeconds: 3 })
  })

  it('names a page of a proxy by its status', async () => {
    expect(await refusalOf(new Response('<h1>Bad gateway</h1>', { status: 502 }))).toMatchObject({
      code: 'daemon_unreachable',
    })
  })

  it('refuses a 200 that is not JSON of ours', async () => {
    expect(await refusalOf(new Response('<!doctype html>', { status: 200 }))).toMatchObject({ code: 'internal' })
  })
})

describe('retries', () => {
  const waking = new Refusal({ code: 'daemon_waking', message: '', retryAfterSeconds: 7 })
  const offline = new Refusal({ code: 'network', message: '' })

  it('waits as long as it was told', () => expect(secondsToRetry(waking, 0)).toBe(7))
  it('backs off up to half a minute', () =>
    expect([0, 1, 2, 9].map((attempt) => secondsToRetry(offline, attempt))).toEqual([1, 2, 4, 30]))
  it('never repeats what cannot pass', () =>
    expect(passesByItself(new Refusal({ code: 'storage_full', message: '' }))).toBe(false))
})
