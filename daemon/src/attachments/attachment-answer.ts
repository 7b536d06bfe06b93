import { fileDate } from '../files/file-date.ts'
import type { FileStamp } from '../files/file-stamp.ts'
import { etagOf, isNotModified } from '../http/conditional.ts'
import { attachmentContentSecurityPolicy } from '../http/security-headers.ts'
import { attachmentBaseline } from './read-attachment.ts'
import { byteRange, type ByteRange } from './byte-range.ts'
import { contentTypeOf, dispositionOf } from './content-type.ts'

/** How to respond to a request for an attachment: with the file or a part of it, or without content. */
export type AttachmentAnswer = {
  status: 200 | 206 | 304 | 416
  headers: Record<string, string>
  part: ByteRange | undefined
}

type Request = { known: '*' | string[]; 'if-range'?: string | undefined; range?: string | undefined }

/**
 * Decides status, headers and range for a file. `known`: the baselines that the caller already has. The headers prevent
 * any content of a vault from running as code.
 */
export function attachmentAnswer(request: Request, path: string, stamp: FileStamp): AttachmentAnswer {
  const etag = etagOf(attachmentBaseline(stamp))
  const headers = {
    etag,
    'accept-ranges': 'bytes',
    'last-modified': fileDate(stamp.mtimeMs).toUTCString(),
    'content-security-policy': attachmentContentSecurityPolicy,
  }
  if (isNotModified(request.known, attachmentBaseline(stamp))) return { status: 304, headers, part: undefined }

  const ifRange = request['if-range']
  const range = ifRange === undefined || ifRange === etag ? byteRange(request.range, stamp.size) : undefined
  if (range === 'unsatisfiable')
    return { status: 416, headers: { 'content-range': `bytes */${stamp.size}` }, part: undefined }

  const { start, end } = range ?? { start: 0, end: stamp.size - 1 }
  const full = {
    ...headers,
    'content-type': contentTypeOf(path),
    'content-length': String(end - start + 1),
    'content-disposition': dispositionOf(path),
  }
  if (range)
    return { status: 206, headers: { ...full, 'content-range': `bytes ${start}-${end}/${stamp.size}` }, part: range }
  return { status: 200, headers: full, part: stamp.size === 0 ? undefined : { start, end } }
}
