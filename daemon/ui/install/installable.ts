import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { Plugin } from 'vite'

/**
 * A step of the build: what a browser needs to install the UI as an app. There is no service worker: a vault origin has
 * at most the gateway's own, and the UI is of no use without its daemon.
 */
export function installable(): Plugin {
  const files = new Map<string, Buffer>()
  /** Adds a file under a name that changes with its content, like all assets. Returns its address. */
  const asset = (name: string, content: Buffer) => {
    const type = extname(name)
    const hash = createHash('sha256').update(content).digest('base64url').slice(0, 8)
    const file = `assets/${name.slice(0, -type.length)}-${hash}${type}`
    files.set(file, content)
    return `/${file}`
  }
  const icon = (name: string) => asset(name, readFileSync(new URL(name, import.meta.url)))

  const manifest = {
    id: '/',
    name: 'Vault',
    short_name: 'Vault',
    description: 'Notes that stay plain files, read and written together.',
    start_url: '/',
    scope: '/',
    display: 'standalone',
    background_color: '#ffffff',
    theme_color: '#eff1f4',
    icons: [
      { src: icon('icon-192.png'), sizes: '192x192', type: 'image/png' },
      { src: icon('icon-512.png'), sizes: '512x512', type: 'image/png' },
      { src: icon('icon-maskable.png'), sizes: '512x512', type: 'image/png', purpose: 'maskable' },
    ],
  }
  const manifestAddress = asset('vault.webmanifest', Buffer.from(JSON.stringify(manifest)))
  const touchIcon = icon('icon-touch.png')

  return {
    name: 'installable',
    apply: 'build',
    generateBundle() {
      for (const [fileName, source] of files) this.emitFile({ type: 'asset', fileName, source })
    },
    transformIndexHtml: () => [
      // Browsers request a manifest without cookies by default; a relayed vault needs them.
      {
        tag: 'link',
        attrs: { rel: 'manifest', href: manifestAddress, crossorigin: 'use-credentials' },
        injectTo: 'head',
      },
      { tag: 'link', attrs: { rel: 'apple-touch-icon', href: touchIcon }, injectTo: 'head' },
    ],
  }
}
