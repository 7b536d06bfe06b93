import { describe, expect, it } from 'vitest'
import { createLog } from '@svc/shared/kit/log.ts'
import { createMailQueue } from './mail-queue.ts'
import { MailRefused } from './mail.ts'
import { renderMail } from './render-mail.ts'

const letter = renderMail({ template: 'reset-password', to: 'ada@example.org', link: 'https://svc.example.org/x' })
const temporary = () => new Error('451 try again later')

/** A mail server that never answers. */
const silence = new Promise<never>(() => {})

/** A queue whose attempts fail in this order, on a clock that sleeps at once and tells how long it was asked to. */
const start = (failures: (Error | Promise<never>)[], sleep?: (ms: number, signal?: AbortSignal) => Promise<void>) => {
  const slept: number[] = []
  let attempts = 0
  const queue = createMailQueue({
    mail: {
      send: async () => {
        const failure = await failures[attempts++]
        if (failure !== undefined) throw failure
      },
    },
    clock: {
      now: () => new Date(0),
      sleep: async (ms, signal) => {
        slept.push(ms)
        await sleep?.(ms, signal)
      },
    },
    log: createLog({ service: 'test', level: 'silent' }),
  })
  return { queue, slept, attempts: () => attempts }
}
const turns = async () => {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve()
}

describe('the mail queue', () => {
  it('sends a mail once that is taken', async () => {
    const { queue, slept, attempts } = start([])
    queue.send(letter)
    await turns()
    expect([attempts(), slept]).toEqual([1, []])
  })

  it('sends a mail again, later each time, and gives up in the end', async () => {
    const once = start([temporary()])
    const away = start(Array.from({ length: 9 }, temporary))
    for (const { queue } of [once, away]) queue.send(letter)
    await turns()
    expect([once.attempts(), once.slept]).toEqual([2, [5_000]])
    expect([away.attempts(), away.slept]).toEqual([5, [5_000, 30_000, 120_000, 600_000]])
  })

  it('does not repeat a mail that was refused for good', async () => {
    const { queue, attempts } = start([new MailRefused('550')])
    queue.send(letter)
    await turns()
    expect(attempts()).toBe(1)
  })

  it('does not send a mail whose link would be dead by then', async () => {
    const { queue, attempts, slept } = start(Array.from({ length: 9 }, temporary))
    queue.send({ ...letter, expiresAt: new Date(600_000) })
    await turns()
    expect([attempts(), slept]).toEqual([4, [5_000, 30_000, 120_000]])
  })

  it('drops a waiting mail for a newer one that replaces it, and no other', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { queue, attempts, slept } = start([temporary(), temporary(), temporary()], () => promise)
    for (const replaces of ['invitation:1', 'invitation:2', undefined]) queue.send({ ...letter, replaces })
    await turns()
    queue.send({ ...letter, replaces: 'invitation:1' })
    await turns()
    expect([attempts(), slept]).toEqual([4, [5_000, 5_000, 5_000]])
    resolve()
    await turns()
    expect(attempts()).toBe(6)
  })

  it('sends waiting mails once more when it closes, and gives up later failures at once', async () => {
    const untilAborted = (_: number, signal?: AbortSignal) =>
      new Promise<void>((_resolve, reject) =>
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true }),
      )
    const back = start([temporary()], untilAborted)
    const away = start(Array.from({ length: 9 }, temporary), untilAborted)
    for (const { queue } of [back, away]) queue.send(letter)
    await turns()
    expect([back.attempts(), away.attempts()]).toEqual([1, 1])
    for (const { queue } of [back, away]) await queue.close()
    expect([back.attempts(), away.attempts()]).toEqual([2, 2])
    away.queue.send(letter)
    await away.queue.close()
    expect(away.attempts()).toBe(3)
  })

  it('closes while a mail server does not answer', async () => {
    const { queue, slept } = start([silence])
    queue.send(letter)
    await queue.close()
    expect(slept).toEqual([10_000])
  })
})
