import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import { DIAGRAM_PATH, DIAGRAM_SCRIPTS, diagramPage, diagramPolicy } from './diagram-page.ts'

const BUILT = /^(diagram-[\w-]{8,}\.js)\.br$/
const decompress = promisify(brotliDecompress)

type Asked = { target: string; acceptEncoding: string | undefined }
export type DiagramFile = { headers: Record<string, string>; body: Buffer }
export type DiagramFiles = ReturnType<typeof createDiagramFiles>

/** The diagram page and its script, as built into `folder`. Both are the same for everybody. */
export function createDiagramFiles(folder: string) {
  const names = existsSync(folder) ? readdirSync(folder) : []
  const script = names.map((name) => BUILT.exec(name)?.[1]).find((name) => name !== undefined)
  const page = script === undefined ? undefined : Buffer.from(diagramPage(script))

  const readScript = async (acceptEncoding: string): Promise<DiagramFile> => {
    const compressed = await readFile(join(folder, `${script}.br`))
    // Browsers accept Brotli over TLS and from their own machine. For all others it is decompressed in a thread of its
    // own.
    if (/\bbr\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(acceptEncoding))
      return { headers: { ...scriptHeaders, 'content-encoding': 'br' }, body: compressed }
    return { headers: scriptHeaders, body: await decompress(compressed) }
  }

  return {
    /** The file with its special headers; undefined when this build has no such file. */
    find: async ({ target, acceptEncoding }: Asked): Promise<DiagramFile | undefined> => {
      if (page === undefined) return undefined
      if (target === DIAGRAM_PATH) return { headers: pageHeaders, body: page }
      return target === `${DIAGRAM_SCRIPTS}${script}` ? readScript(acceptEncoding ?? '') : undefined
    },
  }
}

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': diagramPolicy,
  'x-frame-options': 'SAMEORIGIN',
  'cache-control': 'no-cache',
}

// The page has no origin, so its own script is cross-origin.
const scriptHeaders = {
  'content-type': 'text/javascript; charset=utf-8',
  'content-security-policy': "default-src 'none'",
  'cross-origin-resource-policy': 'cross-origin',
  'cache-control': 'public, max-age=31536000, immutable',
  vary: 'accept-encoding',
}
