import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { marginPagePolicy } from '../pages/margin-page.ts'
import { cookieValues } from '../http/session-cookie.ts'
import { closedOutboxPage, outboxPage } from './outbox-page.ts'
import { mailAsJson, type Outbox } from './outbox.ts'
import { text } from '@svc/shared/wire/text.ts'

const OutboxQuery = z.object({ link: text().max(200).optional() })

/** The outbox page, for people at this machine, in a browser that used the one-time link. */
export function outboxRoutes({ outbox, baseUrl }: { outbox: Outbox; baseUrl: string }): FastifyPluginAsyncZod {
  const cookieName = `svc_outbox_${new URL(baseUrl).port || '80'}`
  const isOpen = async ({ headers }: FastifyRequest) => {
    const [secret, ...others] = cookieValues(headers.cookie, cookieName)
    return secret !== undefined && others.length === 0 && outbox.isOpenFor(secret)
  }

  return async (app) => {
    app.get('/outbox', { schema: { hide: true, querystring: OutboxQuery } }, async (request, reply) => {
      if (!isLoopback(request)) return answerHtml(reply.code(403), closedOutboxPage())

      const { link } = request.query
      if (link !== undefined) {
        const secret = await outbox.open(link)
        if (secret === undefined) return answerHtml(reply.code(403), closedOutboxPage())
        return reply
          .header('set-cookie', `${cookieName}=${secret}; Path=/outbox; HttpOnly; SameSite=Strict`)
          .redirect('/outbox', 303)
      }
      if (!(await isOpen(request))) return answerHtml(reply.code(403), closedOutboxPage())

      const mails = await outbox.list()
      const wantsJson = request.headers.accept?.startsWith('application/json')
      return wantsJson ? reply.send({ ok: true, mails: mails.map(mailAsJson) }) : answerHtml(reply, outboxPage(mails))
    })
  }
}

const answerHtml = (reply: FastifyReply, html: string) =>
  reply.header('content-security-policy', marginPagePolicy).type('text/html; charset=utf-8').send(html)

/** Whether the connection is local is read from the connection itself, not from a header. */
function isLoopback({ raw: { socket } }: FastifyRequest): boolean {
  const address = socket.remoteAddress ?? ''
  return address === '::1' || /^(?:::ffff:)?127\./.test(address)
}
