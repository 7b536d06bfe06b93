import { Readable } from 'node:stream'
import { createLog } from '@svc/shared/kit/log.ts'
import fastify from 'fastify'
import { expect, test } from 'vitest'
import { reportFailure, toFailure } from './failures.ts'

test('a stream that ends before its response has begun is no bug', async () => {
  const app = fastify()
  const logged: string[] = []
  const destination = { write: (line: string) => void logged.push(line) }
  const log = createLog({ service: 'test', level: 'warn', destination })
  app.setErrorHandler((error, _request, reply) => {
    const failure = toFailure(error)
    reportFailure(log, failure, 'request')
    return reply.code(499).send({ code: failure.code })
  })
  app.get('/', (_request, reply) => {
    const body = new Readable({ read() {} })
    setImmediate(() => body.destroy())
    return reply.send(body)
  })
  expect((await app.inject('/')).json()).toEqual({ code: 'stream_reset' })
  expect(logged).toEqual([])
})
