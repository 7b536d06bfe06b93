import { useEffect, useState } from 'react'
import type { Graph } from '../graph/graph.ts'
import type { LayoutNews } from './layout-worker.ts'

/** The positions of a graph's files, computed by a worker; undefined until its first message. */
export function useLayout({ nodes, edges }: Graph): LayoutNews | undefined {
  const [held, setHeld] = useState<{ of: Uint32Array; news: LayoutNews }>()
  useEffect(() => {
    const worker = new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module' })
    const isStill = window.matchMedia('(prefers-reduced-motion: reduce)').matches
    worker.addEventListener('message', ({ data }: MessageEvent<LayoutNews>) => {
      if (data.isSettled || !isStill) setHeld({ of: edges, news: data })
      if (data.isSettled) worker.terminate()
    })
    // eslint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no such argument
    worker.postMessage({ count: nodes.length, edges })
    return () => worker.terminate()
  }, [nodes, edges])
  return held?.of === edges ? held.news : undefined
}
