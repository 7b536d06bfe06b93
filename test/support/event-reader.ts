import { request, type IncomingMessage } from 'node:http'
import type { z } from 'zod'
import { stateEvents } from '@svc/shared/wire/events.api.ts'
import type { Person } from './person.ts'
import { until } from './until.ts'

type Name = keyof typeof stateEvents
type Received = { name: Name; data: unknown }

/** A client of `GET /api/events`, like a browser. */
export type EventReader = {
  status: number
  headers: Record<string, string | string[] | undefined>
  received: Received[]
  /** Waits for a change of this topic since the last `forget`. */
  change(topic: string, orgId?: string | null): Promise<void>
  /** Waits for an event. */
  event(name: Name): Promise<unknown>
  forget(): void
  closed: Promise<void>
  stop(): void
}

/** Opens the stream and waits for its response. Validates every event. */
export async function listenToEvents(
  origin: string,
  person: Pick<Person, 'cookies'>,
  port = new URL(origin).port,
): Promise<EventReader> {
  const { host } = new URL(origin)
  const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const received: Received[] = []
  const { promise: closed, resolve: close } = Promise.withResolvers<void>()
  let rest = ''
  const take = (chunk: string) => {
    const blocks = (rest + chunk).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const name = /^event: (\w+)$/m.exec(block)?.[1] as Name | undefined
      if (name === undefined) continue
      received.push({ name, data: stateEvents[name].parse(JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? '')) })
    }
  }
  const sent = request({ host: '127.0.0.1', port, path: '/api/events', headers: { host, cookie } })
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve)
    sent.once('error', reject)
    sent.end()
  })
  response
    .setEncoding('utf8')
    .on('data', take)
    .on('error', () => {})
    .once('close', close)

  const changes = () =>
    received.flatMap(({ name, data }) =>
      name === 'change' ? (data as z.infer<typeof stateEvents.change>).changes : [],
    )
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    received,
    change: async (topic, orgId) => {
      await until(`a change of ${topic}`, () =>
        changes().some((change) => change.topic === topic && (orgId === undefined || change.orgId === orgId)),
      )
    },
    event: async (name) => {
      await until(`the event ${name}`, () => received.some((event) => event.name === name))
      return received.find((event) => event.name === name)?.data
    },
    forget: () => void received.splice(0),
    closed,
    stop: () => sent.destroy(),
  }
}
