const TYPES: Record<string, string> = {
  avif: 'image/avif',
  bmp: 'image/bmp',
  csv: 'text/csv; charset=utf-8',
  flac: 'audio/flac',
  gif: 'image/gif',
  ico: 'image/x-icon',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  json: 'application/json',
  m4a: 'audio/mp4',
  mov: 'video/quicktime',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  ogg: 'audio/ogg',
  opus: 'audio/ogg',
  pdf: 'application/pdf',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  wav: 'audio/wav',
  webm: 'video/webm',
  webp: 'image/webp',
  zip: 'application/zip',
}

/** The content type of an attachment by its name; never one that a browser would run as a page or a script. */
export function contentTypeOf(path: string): string {
  const ending = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
  return TYPES[ending] ?? 'application/octet-stream'
}

/** Whether a browser may show it inline. SVG may contain scripts: as an image it is safe, as a page it is not. */
export function dispositionOf(path: string): string {
  const type = contentTypeOf(path)
  const shows = /^(?:image\/(?!svg)|audio\/|video\/|text\/plain)/.test(type)
  const name = path.slice(path.lastIndexOf('/') + 1)
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
  return `${shows ? 'inline' : 'attachment'}; filename="${ascii}"; filename*=UTF-8''${encoded}`
}
