import { fileURLToPath } from 'node:url'
import { precompress } from '@svc/shared/design/precompress.ts'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

/** Builds the web app. Nothing is inlined: the page's policy allows neither inline scripts nor data addresses. */
export default defineConfig({
  root: path('.'),
  plugins: [react(), precompress()],
  build: {
    outDir: path('../dist/web'),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
  },
  server: { proxy: { '/api': process.env['SVC_WEB_API'] ?? 'http://localhost:8080' } },
})
