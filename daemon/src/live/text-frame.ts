const FINAL_TEXT = 0x81
const LENGTH_16 = 126
const LENGTH_64 = 127

/**
 * A WebSocket text message as bytes on the wire, with its header (RFC 6455, section 5.2; a server masks nothing). Pure.
 */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text, 'utf8')
  const head = length < LENGTH_16 ? 2 : length < 0x1_0000 ? 4 : 10
  const frame = Buffer.allocUnsafe(head + length)
  frame[0] = FINAL_TEXT
  if (head === 2) frame[1] = length
  else if (head === 4) {
    frame[1] = LENGTH_16
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = LENGTH_64
    frame.writeBigUInt64BE(BigInt(length), 2)
  }
  frame.write(text, head, 'utf8')
  return frame
}
