import type { Kind, KubeObject } from './kinds.ts'
import { pathOf } from './kinds.ts'
import type { KubeClient } from './kube-client.ts'
import { isKubeError } from './kube-error.ts'

type Page<T> = { metadata: { resourceVersion: string; continue?: string }; items: T[] }

export type ListOptions<T> = {
  kind: Kind
  namespace: string
  labels?: string
  signal?: AbortSignal
  /** Reduces each object as its page arrives, so that the rest of a page is not kept until the last one. */
  trim?: (object: T) => T
}

const PAGE = 500
const MOST_RESTARTS = 3

/** A whole collection, page by page, as of one resourceVersion. Starts again when the listing expires half-way. */
export async function listAll<T extends KubeObject>(
  client: KubeClient,
  { kind, namespace, labels, signal, trim = (object) => object }: ListOptions<T>,
): Promise<{ items: T[]; resourceVersion: string }> {
  for (let restart = 0; ; restart++) {
    try {
      const items: T[] = []
      let next: string | undefined
      for (;;) {
        const query = { limit: PAGE, labelSelector: labels, continue: next }
        const page: Page<T> = await client.request({ method: 'GET', path: pathOf(kind, namespace), query, signal })
        for (const item of page.items) items.push(trim(item))
        next = page.metadata.continue || undefined
        if (next === undefined) return { items, resourceVersion: page.metadata.resourceVersion }
      }
    } catch (error) {
      if (!isKubeError(error, 410) || restart === MOST_RESTARTS) throw error
    }
  }
}
