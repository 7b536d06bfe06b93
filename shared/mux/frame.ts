/** Kinds of frames of `svc-relay.v1` (docs/protocol/relay.md). A receiver skips kinds that it does not know. */
export const frameTypes = {
  hello: 0,
  open: 1,
  data: 2,
  end: 3,
  reset: 4,
  window: 5,
  ping: 6,
  pong: 7,
  goAway: 8,
  keys: 9,
  keysWanted: 10,
  registered: 11,
} as const
export type FrameType = (typeof frameTypes)[keyof typeof frameTypes]

/** One byte of kind, three of payload length, four of stream id, all big-endian. */
export const FRAME_HEADER_BYTES = 8

/** Stream id of frames that concern the whole tunnel. */
export const TUNNEL = 0

/** Payload bytes of the kinds that have a fixed size, by kind. */
const payloadSizes = new Map<number, number>([
  [frameTypes.open, 0],
  [frameTypes.end, 0],
  [frameTypes.reset, 1],
  [frameTypes.window, 4],
  [frameTypes.ping, 8],
  [frameTypes.pong, 8],
  [frameTypes.keysWanted, 0],
  [frameTypes.registered, 0],
])

/** Why a stream was reset: closed without a failure, refused before it began, or broken off. */
export const resetCodes = { closed: 0, refused: 1, broken: 2 } as const
export type ResetCode = (typeof resetCodes)[keyof typeof resetCodes]

export type Frame = { type: number; stream: number; payload: Uint8Array }

/** The other side broke the protocol; the tunnel is closed with 1002 and this reason. */
export class ProtocolError extends Error {}

const EMPTY = new Uint8Array(0)

type Layout = {
  /** A buffer to encode into, if it is large enough. */
  room?: Buffer | undefined
  /** `lead` returns the bytes to put before frames of that total length. */
  sink?: { lead?(length: number): Uint8Array } | undefined
}

/** Joins frames into one WebSocket message. */
export function encodeFrames(frames: readonly Frame[], { room, sink }: Layout = {}): Buffer {
  let length = 0
  for (const { payload } of frames) length += FRAME_HEADER_BYTES + payload.length
  const before = sink?.lead?.(length) ?? EMPTY
  const total = before.length + length

  const message = room !== undefined && room.length >= total ? room.subarray(0, total) : Buffer.allocUnsafe(total)
  message.set(before)
  let offset = before.length
  for (const { type, stream, payload } of frames) {
    message.writeUInt32BE(type * 0x1000000 + payload.length, offset)
    message.writeUInt32BE(stream, offset + 4)
    if (payload.length > 0) message.set(payload, offset + FRAME_HEADER_BYTES)
    offset += FRAME_HEADER_BYTES + payload.length
  }
  return message
}

/** Visits the frames of a message in order; payloads are views into it. Throws where the last frame is cut short. */
export function decodeFrames(message: Buffer, visit: (type: number, stream: number, payload: Buffer) => void): void {
  let offset = 0
  while (offset < message.length) {
    if (message.length - offset < FRAME_HEADER_BYTES) throw new ProtocolError('frame header cut short')
    const word = message.readUInt32BE(offset)
    const stream = message.readUInt32BE(offset + 4)
    const start = offset + FRAME_HEADER_BYTES
    const end = start + (word & 0xffffff)
    if (end > message.length) throw new ProtocolError('frame payload cut short')
    offset = end
    visit(word >>> 24, stream, message.subarray(start, end))
  }
}

/** A frame that carries no payload. */
export function bareFrame(type: FrameType, stream: number): Frame {
  return { type, stream, payload: EMPTY }
}

/** Grants credit: the peer may send that many bytes more on the stream. */
export function windowFrame(stream: number, bytes: number): Frame {
  const payload = Buffer.allocUnsafe(4)
  payload.writeUInt32BE(bytes)
  return { type: frameTypes.window, stream, payload }
}

/** Ends a stream at once, in both directions. */
export function resetFrame(stream: number, code: ResetCode): Frame {
  return { type: frameTypes.reset, stream, payload: Uint8Array.of(code) }
}

/** A frame of the tunnel whose payload is JSON. */
export function jsonFrame(type: FrameType, value: unknown): Frame {
  return { type, stream: TUNNEL, payload: Buffer.from(JSON.stringify(value)) }
}

/** Throws where a kind of fixed size carries another number of bytes. */
export function checkSize(type: number, payload: Buffer): void {
  const size = payloadSizes.get(type)
  if (size !== undefined && payload.length !== size)
    throw new ProtocolError(`payload of type ${type} is not ${size} bytes`)
}

/** The value of a JSON frame, still to be validated. */
export function readJson(payload: Buffer): unknown {
  try {
    return JSON.parse(payload.toString('utf8'))
  } catch {
    throw new ProtocolError('frame is not JSON')
  }
}
