/** First and last byte to send, both included. */
export type ByteRange = { start: number; end: number }

/**
 * The range of a file that a Range header requests: undefined for the whole file (also for forms that we do not
 * support, which a server may ignore), `unsatisfiable` if the range is outside the file.
 */
export function byteRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const match = header === undefined ? undefined : /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header)
  if (!match || (match[1] === '' && match[2] === '')) return undefined

  if (match[1] === '') {
    const length = Math.min(Number(match[2]), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 }
  }
  const start = Number(match[1])
  const end = match[2] === '' ? size - 1 : Math.min(Number(match[2]), size - 1)
  if (match[2] !== '' && Number(match[2]) < start) return undefined
  return start >= size ? 'unsatisfiable' : { start, end }
}
