import { Readable } from 'node:stream'
import fastify from 'fastify'
import { expect, test } from 'vitest'
import { reportFailure, toFailure } from './failures.ts'

test('a stream that ends before its response has begun is no bug', async () => {
  const app = fastify()
  const logged: string[] = []
  const log = { error: (_: object, message: string) => logged.push(message), warn: () => {} }
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
