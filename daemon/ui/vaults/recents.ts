const KEPT = 20

/** The paths opened last, newest first, with one more opened. */
export function withRecent(recents: readonly string[], path: string): string[] {
  return [path, ...recents.filter((recent) => recent !== path)].slice(0, KEPT)
}
