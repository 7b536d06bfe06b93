export type Memory = ReturnType<typeof browserMemory>

/** Values that the app keeps for a person between visits, as JSON. Without browser storage nothing is kept. */
export function browserMemory(storage: Storage) {
  return {
    recall: <T>(key: string, fallback: T): T => {
      try {
        const kept = storage.getItem(`svc.${key}`)
        return kept === null ? fallback : (JSON.parse(kept) as T)
      } catch {
        return fallback
      }
    },
    keep: (key: string, value: unknown) => {
      try {
        storage.setItem(`svc.${key}`, JSON.stringify(value))
      } catch {
        // Without storage the app works, but starts with defaults.
      }
    },
  }
}
