import { startPart } from '../part.ts'
import type { BareProxyAnswers } from './bare-proxy-process.ts'
import { openEndpoint, type Contender } from './contender.ts'

/** The least that a reverse proxy in Node can do. */
export async function startBareProxy(targetPort: number, targetPid: number): Promise<Contender> {
  const program = new URL('bare-proxy-process.ts', import.meta.url)
  const proxy = await startPart<BareProxyAnswers>({ program, options: { targetPort } })
  return {
    name: 'bare Node proxy',
    endpoint: openEndpoint(await proxy.ask('port')),
    processes: { proxy: proxy.pid, target: targetPid },
  }
}
