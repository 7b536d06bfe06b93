import type { FastifyReply } from 'fastify'

/** Sends a recorded success as it was first sent, byte for byte: a text is not serialised again. */
export function answerRecorded(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(text)
}
