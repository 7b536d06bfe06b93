/** Texts of notes that were lately given to a reader, by baseline: what an edit on an old one is judged by. */
export type RecentVersions = {
  remember(baseline: string, text: string): void
  find(baseline: string): string | undefined
}

/** Remembers up to so many characters, the least lately used forgotten first. */
export function recentVersions({ maxCharacters }: { maxCharacters: number }): RecentVersions {
  const texts = new Map<string, string>()
  let characters = 0

  const find = (baseline: string): string | undefined => {
    const text = texts.get(baseline)
    if (text === undefined) return undefined
    texts.delete(baseline)
    texts.set(baseline, text)
    return text
  }

  return {
    find,
    remember(baseline, text) {
      if (text.length > maxCharacters || find(baseline) !== undefined) return
      texts.set(baseline, text)
      characters += text.length
      for (const [oldest, old] of texts) {
        if (characters <= maxCharacters) return
        texts.delete(oldest)
        characters -= old.length
      }
    },
  }
}
