import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { HttpMethod, RequestContext, type KubeConfig } from '@kubernetes/client-node'
import { request as forward, type Dispatcher } from 'undici'
import { systemClock } from '@svc/shared/kit/clock.ts'

export type Fault = '409' | '429' | '500' | 'dropped request' | 'dropped answer' | 'delay' | 'lost event' | 'cut watch'

type Options = {
  /** The API server behind the proxy, and our credentials for it. */
  config: KubeConfig
  folder: string
  /** The fault to inject now, if any. */
  strike: (call: { method: string; path: string; watching: boolean }) => Fault | undefined
}

const LONGEST_DELAY_MS = 200

/** An API server that misbehaves: a proxy before a real one, which counts the faults that it injected. */
export async function faultProxy({ config, folder, strike }: Options) {
  const counts = new Map<Fault, number>()
  const strikeNow = (call: Parameters<typeof strike>[0]) => {
    const fault = strike(call)
    if (fault) counts.set(fault, (counts.get(fault) ?? 0) + 1)
    return fault
  }
  const upstream = config.getCurrentCluster()?.server ?? ''

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = 'GET', url = '/' } = request
    const path = url.split('?')[0] ?? ''
    const watching = url.includes('watch=true')
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)

    const possible = watching ? undefined : strikeNow({ method, path, watching })
    // A read cannot cause a conflict.
    const fault = possible === '409' && method === 'GET' ? undefined : possible
    if (fault === 'dropped request') return void response.destroy()
    if (fault === '409' || fault === '429' || fault === '500') {
      const reason = { 409: 'Conflict', 429: 'TooManyRequests', 500: 'InternalError' }[fault]
      response.writeHead(Number(fault), {
        'content-type': 'application/json',
        ...(fault === '429' && { 'retry-after': '1' }),
      })
      return void response.end(
        JSON.stringify({ kind: 'Status', status: 'Failure', code: Number(fault), reason, message: 'a fault' }),
      )
    }
    if (fault === 'delay') await systemClock.sleep(Math.random() * LONGEST_DELAY_MS)

    const context = new RequestContext(upstream + url, HttpMethod.GET)
    await config.applySecurityAuthentication(context)
    const type = request.headers['content-type']
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const answer = await forward(upstream + url, {
      method: method as Dispatcher.HttpMethod,
      headers: { ...context.getHeaders(), accept: 'application/json', ...(type && { 'content-type': type }) },
      body: chunks.length > 0 ? Buffer.concat(chunks) : null,
      dispatcher: context.getDispatcher() as Dispatcher | undefined,
      bodyTimeout: 0,
      signal: gone.signal,
    })
    if (fault === 'dropped answer') {
      await answer.body.dump()
      return void response.destroy()
    }
    response.writeHead(answer.statusCode, { 'content-type': 'application/json' })
    if (!watching) return void response.end(await answer.body.text())

    response.flushHeaders()
    let rest = ''
    for await (const chunk of answer.body) {
      const lines = (rest + String(chunk)).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const fault = line.includes('"BOOKMARK"') ? undefined : strikeNow({ method, path, watching })
        if (fault === 'cut watch') return void response.destroy()
        if (fault === 'delay') await systemClock.sleep(Math.random() * LONGEST_DELAY_MS)
        if (fault !== 'lost event') response.write(`${line}\n`)
      }
    }
    response.end()
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  server.requestTimeout = 0
  await once(server, 'listening')
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const kubeconfig = join(folder, 'faulty-kubeconfig.json')
  await writeFile(
    kubeconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'faulty', cluster: { server: address, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'nobody', user: {} }],
      contexts: [{ name: 'faulty', context: { cluster: 'faulty', user: 'nobody' } }],
      'current-context': 'faulty',
    }),
  )
  return {
    kubeconfig,
    counts,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
