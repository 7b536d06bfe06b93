/**
 * A version of one note. `vault` and `path` are part of the key: access to one note must not give access to another.
 */
type Version = { vault: { identity: string }; path: string; baseline: string }

/** Texts of notes that were recently read. An edit of an older baseline is compared with them. */
export type RecentVersions = {
  remember(version: Version, text: string): void
  find(version: Version): string | undefined
  /** Forgets every version of a note that was permanently deleted. */
  forget(note: Omit<Version, 'baseline'>): void
}

/** Remembers up to this many characters; the least recently used texts are forgotten first. */
export function createRecentVersions({ maxCharacters }: { maxCharacters: number }): RecentVersions {
  const texts = new Map<string, string>()
  let characters = 0

  const prefixOf = ({ vault, path }: Omit<Version, 'baseline'>) => `${vault.identity}\0${path}\0`
  const keyOf = (version: Version) => prefixOf(version) + version.baseline

  const find = (version: Version): string | undefined => {
    const key = keyOf(version)
    const text = texts.get(key)
    if (text === undefined) return undefined
    texts.delete(key)
    texts.set(key, text)
    return text
  }

  const drop = (key: string, text: string) => {
    texts.delete(key)
    characters -= text.length
  }

  return {
    find,
    remember(version, text) {
      if (text.length > maxCharacters || find(version) !== undefined) return
      texts.set(keyOf(version), text)
      characters += text.length
      for (const [oldest, old] of texts) {
        if (characters <= maxCharacters) return
        drop(oldest, old)
      }
    },
    forget(note) {
      for (const [key, text] of texts) if (key.startsWith(prefixOf(note))) drop(key, text)
    },
  }
}
