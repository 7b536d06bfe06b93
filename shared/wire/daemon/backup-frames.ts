import { fail } from '../errors.ts'

/**
 * The body of a backup or of a restore: frames of a type, a length and that many bytes. A message is JSON; a chunk is a
 * name and sealed bytes; a manifest part is sealed bytes; names are those of chunks that are stored already.
 */
export type BackupFrame =
  | { type: 'message'; value: unknown }
  | { type: 'chunk'; name: string; sealed: Buffer }
  | { type: 'manifest'; sealed: Buffer }
  | { type: 'names'; names: string[] }

/** Bytes of a chunk before it is sealed. */
export const MAX_CHUNK_BYTES = 4 * 1024 * 1024
/** Maximum number of names in one frame. */
export const NAMES_PER_FRAME = 4096

const HEAD_BYTES = 5
const NAME_BYTES = 32
const MAX_FRAME_BYTES = MAX_CHUNK_BYTES + 1024
const MAX_MESSAGE_BYTES = 64 * 1024
const types = ['message', 'chunk', 'manifest', 'names'] as const

/** One frame as bytes. */
export function encodeFrame(frame: BackupFrame): Buffer {
  const payload = payloadOf(frame)
  const head = Buffer.allocUnsafe(HEAD_BYTES)
  head.writeUInt8(types.indexOf(frame.type), 0)
  head.writeUInt32BE(payload.length, 1)
  return Buffer.concat([head, payload])
}

function payloadOf(frame: BackupFrame): Buffer {
  switch (frame.type) {
    case 'message':
      return Buffer.from(JSON.stringify(frame.value))
    case 'chunk':
      return Buffer.concat([Buffer.from(frame.name, 'hex'), frame.sealed])
    case 'manifest':
      return frame.sealed
    case 'names':
      return Buffer.from(frame.names.join(''), 'hex')
  }
}

/**
 * The frames of a body. Holds at most one frame; copies a byte once. Throws invalid_request for a malformed frame, and
 * for a body that ends inside one.
 */
export async function* decodeFrames(body: AsyncIterable<Buffer>): AsyncGenerator<BackupFrame> {
  const held: Buffer[] = []
  let heldBytes = 0
  let needed = HEAD_BYTES
  let type: (typeof types)[number] | undefined
  for await (const received of body) {
    let rest = received
    while (heldBytes + rest.length >= needed) {
      const used = needed - heldBytes
      held.push(rest.subarray(0, used))
      rest = rest.subarray(used)
      const whole = Buffer.concat(held.splice(0))
      heldBytes = 0
      if (type === undefined) {
        type = types[whole.readUInt8(0)]
        needed = whole.readUInt32BE(1)
        if (type === undefined || needed > (type === 'message' ? MAX_MESSAGE_BYTES : MAX_FRAME_BYTES)) throw malformed()
      } else {
        yield frameOf(type, whole)
        type = undefined
        needed = HEAD_BYTES
      }
    }
    if (rest.length > 0) held.push(rest)
    heldBytes += rest.length
  }
  if (heldBytes > 0 || type !== undefined) throw malformed()
}

function frameOf(type: (typeof types)[number], payload: Buffer): BackupFrame {
  switch (type) {
    case 'message':
      return { type, value: parseJson(payload.toString('utf8')) }
    case 'chunk':
      if (payload.length <= NAME_BYTES) throw malformed()
      return { type, name: payload.toString('hex', 0, NAME_BYTES), sealed: payload.subarray(NAME_BYTES) }
    case 'manifest':
      return { type, sealed: payload }
    case 'names': {
      if (payload.length % NAME_BYTES !== 0) throw malformed()
      const names: string[] = []
      for (let at = 0; at < payload.length; at += NAME_BYTES) names.push(payload.toString('hex', at, at + NAME_BYTES))
      return { type, names }
    }
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw malformed()
  }
}

const malformed = () => fail('invalid_request', [{ path: 'body', message: 'is not a sequence of frames' }])
