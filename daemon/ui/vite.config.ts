import { fileURLToPath } from 'node:url'
import { precompress } from '@svc/shared/design/precompress.ts'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { installable } from './install/installable.ts'

const here = fileURLToPath(new URL('.', import.meta.url))

// The UI is at `/` of its origin, locally and through the relay, so its assets have absolute addresses.
export default defineConfig({
  root: here,
  base: '/',
  plugins: [react(), installable(), precompress()],
  worker: { format: 'es' },
  // The Markdown parser uses one function of this package, and its table of names is a tenth of what reading loads.
  resolve: { alias: [{ find: /^entities$/, replacement: `${here}markdown/named-reference.ts` }] },
  build: {
    outDir: fileURLToPath(new URL('../dist/ui', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
    // The page CSP has no `data:` sources, so nothing may be inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // What every page loads is one chunk: it compresses better than many small ones, and is one request.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'always', tags: ['$initial'] }] } } },
    // The editor is one chunk on purpose: it is loaded once, on the first edit.
    chunkSizeWarningLimit: 650,
  },
})
