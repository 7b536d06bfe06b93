/**
 * Loads something with the first call and shares it with all others. A load that failed is tried again with the next
 * call: a process that had no free descriptor for a moment must not lack a part of itself until it is restarted.
 */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }
}
