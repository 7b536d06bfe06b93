import { Readable } from 'node:stream'
import type { ReadableStream, ReadableStreamDefaultReader, ReadableStreamReadResult } from 'node:stream/web'
import type { FastifyReply } from 'fastify'

/** A result that arrives within this time is sent as a whole, in one write with the head of the response. */
const HOLD_HEAD_MS = 50

type Reader = ReadableStreamDefaultReader<Uint8Array>
type Part = ReadableStreamReadResult<Uint8Array>
/** The parts of a stream that were read already. `next` is the next part; undefined when the stream has ended. */
type Beginning = { parts: Uint8Array[]; next: Promise<Part> | undefined }

/** Sends a response of the protocol's server. */
export async function sendAnswer(reply: FastifyReply, { status, headers, body }: Response): Promise<FastifyReply> {
  reply.code(status)
  for (const name of ['content-type', 'allow']) {
    const value = headers.get(name)
    if (value !== null) reply.header(name, value)
  }
  if (body === null) return reply.send()
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  const { parts, next } = await readBeginning(reader)
  return reply.send(next === undefined ? Buffer.concat(parts) : Readable.from(eventsOf(reader, { parts, next })))
}

async function readBeginning(reader: Reader): Promise<Beginning> {
  const parts: Uint8Array[] = []
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => (timer = setTimeout(resolve, HOLD_HEAD_MS, 'late')))
  try {
    for (;;) {
      const next = reader.read()
      const part = await Promise.race([next, late])
      if (part === 'late') return { parts, next }
      if (part.done) return { parts, next: undefined }
      parts.push(part.value)
    }
  } finally {
    clearTimeout(timer)
  }
}

/** A stream whose head is sent at once rather than with its next event: clients give up on a silent response. */
async function* eventsOf(reader: Reader, { parts, next }: { parts: Uint8Array[]; next: Promise<Part> }) {
  try {
    yield Buffer.from(': open\n\n')
    yield* parts
    for (let part = await next; !part.done; part = await reader.read()) yield part.value
  } finally {
    await reader.cancel().catch(() => {})
  }
}
