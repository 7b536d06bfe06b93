import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { baseImage, buildArchive } from '../../setup/buildah.mjs'
import { verifies } from '../requirements.ts'

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** Digests of the layers of an image, as a registry stores them. */
function layersOf(archive: string): string[] {
  const read = (path: string) => JSON.parse(execFileSync('tar', ['-xOf', archive, path], { encoding: 'utf8' }))
  const [manifest] = read('index.json').manifests as { digest: string }[]
  const { layers } = read(`blobs/${manifest!.digest.replace(':', '/')}`) as { layers: { digest: string }[] }
  return layers.map(({ digest }) => digest)
}

test.each(['operator', 'control-plane'])(
  'the image of the %s built twice has the same layers',
  { timeout: 600_000 },
  (part) => {
    verifies('image.reproducible')
    const folder = mkdtempSync(join(tmpdir(), 'svc-twice-'))
    try {
      const from = baseImage()
      const build = (tag: string) =>
        buildArchive({
          name: `localhost/twice-${part}:${tag}`,
          context: at(`${part}/dist/bundle`),
          dockerfile: at(`${part}/Dockerfile`),
          from,
          folder,
        })
      expect(layersOf(build('one'))).toEqual(layersOf(build('two')))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
)
