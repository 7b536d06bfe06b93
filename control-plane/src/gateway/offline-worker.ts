import type { IncomingMessage, ServerResponse } from 'node:http'
import { fail } from '@svc/shared/wire/errors.ts'
import { offlinePage } from '../pages/static-pages.ts'
import { originHeaders } from '../http/vault-origin-headers.ts'

/** The one address of a vault origin from which a browser may install a service worker. */
export const OFFLINE_WORKER_PATH = '/_svc/offline-worker.js'
/** What the worker shows while the device is offline. */
const OFFLINE_PAGE_PATH = '/_svc/offline'

/**
 * The worker contains the offline page and shows it only while the device is offline. It keeps no cache, because a page
 * of a daemon could fill it, and responds to navigations only. A browser that supports static routes does not start the
 * worker for other requests.
 */
const workerScript = (page: string) => `'use strict'
const page = ${JSON.stringify(page).replaceAll('<', '\\u003c')}
const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': ${JSON.stringify(offlinePage.policy)} }
self.addEventListener('install', (event) => {
  self.skipWaiting()
  event.addRoutes?.({ condition: { not: { requestMode: 'navigate' } }, source: 'network' }).catch(() => {})
})
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))
self.addEventListener('fetch', (event) => {
  if (event.request.mode !== 'navigate' || self.navigator.onLine) return
  event.respondWith(new Response(page, { status: 503, headers }))
})
`

/** Serves the offline page and its worker: the gateway's own bytes, the same for everybody, entered or not. */
export function createOfflineWorker({ secure }: { secure: boolean }) {
  const answers = new Map([
    [
      OFFLINE_WORKER_PATH,
      {
        body: workerScript(offlinePage.body),
        headers: {
          'content-type': 'text/javascript; charset=utf-8',
          'content-security-policy': "default-src 'none'",
          'service-worker-allowed': '/',
        },
      },
    ],
    [
      OFFLINE_PAGE_PATH,
      {
        body: offlinePage.body,
        headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': offlinePage.policy },
      },
    ],
  ])

  return {
    owns: (path: string | undefined): boolean => answers.has(path ?? ''),

    serve: ({ method, url, headers }: IncomingMessage, response: ServerResponse): void => {
      if (method !== 'GET' && method !== 'HEAD') throw fail('method_not_allowed')
      if (headers['service-worker'] !== undefined && url !== OFFLINE_WORKER_PATH)
        throw fail('forbidden', { reason: 'service_worker' })
      const { body, headers: own } = answers.get(url ?? '')!
      response.writeHead(200, { ...originHeaders({ secure }), ...own, 'content-length': Buffer.byteLength(body) })
      response.end(method === 'HEAD' ? undefined : body)
    },
  }
}
